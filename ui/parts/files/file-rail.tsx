import { useEffect, useState } from "preact/hooks";
import { filesChanged } from "../../model/pages/actions.ts";
import { fileTree } from "../../model/pages/file-tree.ts";
import { formatRoute } from "../../route.ts";
import { type ChangedFile, readShare, type Share } from "../../state/pages/files.ts";
import { recentFiles } from "../../state/pages/recent-files.ts";
import { countOf } from "../../text/count-words.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

const MOST = 40;

/** Files that captured sessions changed recently. */
export function RecentFiles({ chosen }: { chosen: string | undefined }) {
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
      {paths.length === 0 && (
        <p class="dim rail-note">Files appear here when captured sessions change them.</p>
      )}
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
export const ChangedFiles = ({ files }: { files: readonly ChangedFile[] }) => (
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
