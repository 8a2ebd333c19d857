import { useEffect, useState } from "preact/hooks";
import { filesChanged } from "../model/pages/actions.ts";
import { fileTree } from "../model/pages/file-tree.ts";
import { Notice } from "../parts/basics/banner.tsx";
import { useObservatory } from "../parts/basics/context.ts";
import { Icon } from "../parts/basics/icon.tsx";
import { PlainText } from "../parts/basics/plain-text.tsx";
import { ChangesPage, shortRange, useChanges } from "../parts/files/changes.tsx";
import { FileBlocks, useThoughts } from "../parts/files/file-blocks.tsx";
import { ReasonPanel } from "../parts/files/reason-panel.tsx";
import { ShareBar } from "../parts/files/share-bar.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { formatRoute } from "../route.ts";
import type { FilesRoute } from "../route-lists.ts";
import {
  type ChangedFile,
  type FileWithReasons,
  readFile,
  readShare,
  type Share,
} from "../state/pages/files.ts";
import { recentFiles } from "../state/pages/recent-files.ts";
import { countOf } from "../text/count-words.ts";

/** A file with its reasons in the margin: the thought behind each line. */
export function FilesView({ route }: { route: FilesRoute }) {
  const o = useObservatory();
  const get = o.server.value?.get;
  const [read, setRead] = useState<{ path: string; file?: FileWithReasons; failed?: string }>();
  const path = route.path ?? "";
  useEffect(() => {
    if (!get || path === "") return;
    const abort = new AbortController();
    void readFile(get, path, abort.signal).then((fetched) => {
      if (abort.signal.aborted) return;
      setRead(
        "answer" in fetched ? { path, file: fetched.answer } : { path, failed: fetched.failed.message },
      );
    });
    return () => abort.abort();
  }, [get, path]);
  const here = read?.path === path ? read : undefined;
  const changed = useChanges(route.changes);
  const names = path.split("/");
  const title = route.changes === undefined ? names.at(-1) || "Files" : shortRange(route.changes);
  return (
    <>
      <TopBar title={title} project={names.slice(0, -1).join(" / ")} />
      <Rail on="file">
        {changed?.changes ? (
          <ChangedFiles files={changed.changes.files} />
        ) : (
          <RecentFiles chosen={route.path} />
        )}
      </Rail>
      {route.changes ? (
        <ChangesPage read={changed} />
      ) : here?.file ? (
        <Shown file={here.file} route={route} />
      ) : (
        <main class="page" id="main" tabIndex={-1}>
          <PathField />
          {here?.failed !== undefined ? (
            <Notice title="Could not read the file">{here.failed}</Notice>
          ) : (
            path === "" && (
              <Notice title="Which file?">
                Enter a path in the repository this server was started in, or a commit range such as
                main...HEAD. Reasons are found through git history and captured sessions.
              </Notice>
            )
          )}
        </main>
      )}
    </>
  );
}

function PathField() {
  const { navigation } = useObservatory();
  return (
    <form
      class="path-field"
      onSubmit={(event) => {
        event.preventDefault();
        const path = new FormData(event.currentTarget).get("path");
        const asked = typeof path === "string" ? path.trim() : "";
        if (isRange(asked))
          navigation.go({ view: "files", path: undefined, line: undefined, changes: asked });
        else if (asked !== "") navigation.go({ view: "files", path: asked, line: undefined });
      }}
    >
      <label class="field">
        <input
          name="path"
          aria-label="File path or commit range"
          placeholder="src/pool.ts or main...HEAD"
          data-search
          maxLength={1000}
        />
      </label>
      <button type="submit" class="btn">
        Open
      </button>
    </form>
  );
}

/** Accepts `main...HEAD`, but not a path such as `../src`. */
const isRange = (text: string): boolean => /^[^\s.][^\s]*?\.{2,3}[^\s/]*$/.test(text);

const MOST = 40;

/** Files that captured sessions changed recently. */
function RecentFiles({ chosen }: { chosen: string | undefined }) {
  const o = useObservatory();
  const server = o.server.value;
  const [paths, setPaths] = useState<readonly string[]>([]);
  const ids = (server?.sessions.list.value ?? [])
    .filter(({ tags }) => tags.includes("transcript"))
    .slice(0, 5)
    .map(({ id }) => id)
    .join(" ");
  useEffect(() => {
    if (!server || ids === "") return;
    const abort = new AbortController();
    void recentFiles(server.get, ids.split(" "), abort.signal).then(
      (actions) => !abort.signal.aborted && setPaths(filesChanged(actions).map(({ path }) => path)),
    );
    return () => abort.abort();
  }, [server, ids]);
  const shares = useShares(paths.slice(0, MOST));
  return (
    <div class="slist" tabIndex={0} role="group" aria-label="Files">
      <h2 class="sgroup eyebrow ft-head">Recently changed {shares.size > 0 && <span>with a reason</span>}</h2>
      {paths.length === 0 && <p class="dim rail-note">Captured sessions list their files here.</p>}
      {fileTree(paths.slice(0, MOST)).map(({ depth, name, path, files }, at) => {
        const known = files.flatMap((file) => shares.get(file) ?? []);
        const row = (
          <>
            <Icon name={path === undefined ? "folder" : "file"} size={14} />
            <PlainText text={name} />
            {known.length > 0 && <ShareMeter shares={known} />}
          </>
        );
        const style = { "--depth": depth };
        return path === undefined ? (
          <span key={at} class="fc ft-row" style={style}>
            {row}
          </span>
        ) : (
          <a
            key={at}
            class={isSame(path, chosen) ? "fc ft-row on" : "fc ft-row"}
            style={style}
            href={formatRoute({ view: "files", path, line: undefined })}
            title={path}
          >
            {row}
          </a>
        );
      })}
    </div>
  );
}

/** Sessions record absolute paths. An address may have a path in the repository. */
const isSame = (path: string, chosen: string | undefined): boolean =>
  chosen !== undefined && (path === chosen || path.endsWith(`/${chosen}`));

/** Read one after the other, so that git is never asked about many files at once. */
function useShares(paths: readonly string[]): ReadonlyMap<string, Share> {
  const get = useObservatory().server.value?.get;
  const [shares, setShares] = useState<ReadonlyMap<string, Share>>(new Map());
  useEffect(() => {
    const abort = new AbortController();
    const readAll = async () => {
      for (const path of paths) {
        const share = get && (await readShare(get, path, abort.signal));
        if (abort.signal.aborted) return;
        if (share) setShares((before) => new Map(before).set(path, share));
      }
    };
    void readAll();
    return () => abort.abort();
  }, [get, paths.join("\n")]);
  return shares;
}

/** The files of a range, with the share of their added lines that have a reason. A click scrolls to the file. */
const ChangedFiles = ({ files }: { files: readonly ChangedFile[] }) => (
  <div class="slist" tabIndex={0} role="group" aria-label="Files">
    <h2 class="sgroup eyebrow ft-head">
      {countOf(files.length, "file")} <span>with a reason</span>
    </h2>
    {files.map(({ file, added, explained }) => (
      <button
        key={file}
        type="button"
        class="fc ft-row"
        style={{ "--depth": 0 }}
        title={file}
        onClick={() => document.querySelector(`[data-file="${CSS.escape(file)}"]`)?.scrollIntoView()}
      >
        <Icon name="file" size={14} />
        <PlainText text={file.split("/").at(-1) ?? file} />
        {added > 0 && <ShareMeter shares={[{ explained, total: added }]} />}
      </button>
    ))}
  </div>
);

function ShareMeter({ shares }: { shares: readonly Share[] }) {
  const sum = (of: keyof Share) => shares.reduce((total, share) => total + share[of], 0);
  const words = `${sum("explained")} of ${countOf(sum("total"), "line")} have a reason`;
  return (
    <span class="ft-meter" title={words}>
      <i style={{ "--v": `${(100 * sum("explained")) / Math.max(1, sum("total"))}%` }} />
      <span class="off-screen">{words}</span>
    </span>
  );
}

function Shown({ file, route }: { file: FileWithReasons; route: FilesRoute }) {
  const thoughts = useThoughts(file.blocks.map(({ writer }) => writer?.thought));
  const known = file.blocks.filter(({ writer }) => writer);
  const lines = known.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const sessions = new Set(known.map(({ writer }) => writer?.sessionId)).size;
  const chosen = file.blocks.find(
    ({ from, to }) => route.line !== undefined && from <= route.line && to >= route.line,
  );
  return (
    <main class={chosen ? "fw with-panel" : "fw"} id="main">
      <div class="fwh">
        {file.deleted ? (
          <p>
            <b>This file was deleted</b> by {file.deleted.sha.slice(0, 7)}{" "}
            <PlainText text={file.deleted.subject} />. These are its last lines.
          </p>
        ) : (
          <>
            <div class="cov">
              <p>
                <b>
                  {lines} of {countOf(file.total, "line")}
                </b>{" "}
                have a reason{sessions > 0 && <>, from {countOf(sessions, "session")}</>}.
                {file.isCut && " The rest of the file is too long to show."}
              </p>
              <ShareBar
                stretches={file.blocks.map(({ from, to, writer }) => ({
                  lines: to - from + 1,
                  type: writer && (thoughts.get(writer.thought ?? "")?.type ?? "N"),
                }))}
              />
            </div>
            <span class="surel">
              <i class="bar-sure" /> sure <i class="bar-likely" /> likely <i class="bar-commit" /> by commit
            </span>
          </>
        )}
      </div>
      <FileBlocks
        file={file}
        thoughts={thoughts}
        chosen={chosen?.from}
        line={route.line}
        path={route.path ?? file.file}
      />
      {chosen && (
        <ReasonPanel
          path={route.path ?? file.file}
          block={chosen}
          close={formatRoute({ ...route, line: undefined })}
        />
      )}
    </main>
  );
}
