import { useEffect, useState } from "preact/hooks";
import { Notice } from "../parts/basics/banner.tsx";
import { useObservatory } from "../parts/basics/context.ts";
import { PlainText } from "../parts/basics/plain-text.tsx";
import { ChangesPage, shortRange, useChanges } from "../parts/files/changes.tsx";
import { FileBlocks, useThoughts } from "../parts/files/file-blocks.tsx";
import { ChangedFiles, RecentFiles } from "../parts/files/file-rail.tsx";
import { ReasonPanel } from "../parts/files/reason-panel.tsx";
import { ShareBar } from "../parts/files/share-bar.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { formatRoute } from "../route.ts";
import type { FilesRoute } from "../route-lists.ts";
import { type FileWithReasons, readFile } from "../state/pages/files.ts";
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
