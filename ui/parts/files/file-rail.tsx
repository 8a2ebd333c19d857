import { useEffect } from "preact/hooks";
import { formatRoute } from "../../route.ts";
import { type ChangedFile, isRead, type OpenChanges } from "../../state/pages/changes.ts";
import { type Share, sumShares, type TreeRow } from "../../state/pages/repository.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

/** Shows the folders and files of the repository, with the share of their lines that have a reason. */
export function FileTree({ chosen }: { chosen: string | undefined }) {
  const repository = useObservatory().server.value?.repository;
  const summary = repository?.summary.value;
  const isThere = summary?.repository !== undefined;
  const path = chosen && inRepository(chosen, repository?.rows() ?? []);
  useEffect(() => {
    if (isThere && chosen) repository?.reveal(chosen);
  }, [repository, isThere, chosen]);
  const rows = repository?.rows() ?? [];
  const wanted = [
    ...rows.filter(({ isFolder }) => !isFolder),
    ...rows.filter(({ isFolder, isOpen }) => isFolder && !isOpen),
  ].flatMap(({ changed }) => changed);
  useEffect(() => repository?.wantShares(wanted), [repository, wanted.join("\n")]);
  if (!repository || !isThere) return <div class="slist" />;
  const shares = repository.shares.value;
  const more = repository.more();
  return (
    <div class="slist" tabIndex={0} role="group" aria-label="Files">
      <h2 class="sgroup eyebrow ft-head">
        <PlainText text={summary.repository?.name ?? ""} /> <span>lines with a reason</span>
      </h2>
      {rows.map((row) => {
        const share = sumShares(row.changed.map((file) => shares.get(file)));
        const inside = (
          <>
            <Icon name={row.isFolder ? "folder" : "file"} size={14} />
            <PlainText text={row.name} />
            {share && <ShareMeter share={share} files={row.isFolder ? row.changed.length : 1} />}
          </>
        );
        const style = { "--depth": row.depth };
        return row.isFolder ? (
          <button
            key={row.path}
            type="button"
            class="fc ft-row"
            style={style}
            aria-expanded={row.isOpen}
            onClick={() => repository.toggle(row.path)}
          >
            {inside}
          </button>
        ) : (
          <a
            key={row.path}
            class={row.path === path ? "fc ft-row on" : "fc ft-row"}
            style={style}
            href={formatRoute({ view: "files", path: row.path, line: undefined })}
            title={row.path}
            aria-current={row.path === path ? "true" : undefined}
          >
            {inside}
          </a>
        );
      })}
      {more > 0 && <p class="dim rail-note">{formatCount(more)} more</p>}
    </div>
  );
}

/** Returns a path in the repository. Sessions record absolute paths, so an address can contain one too. */
const inRepository = (chosen: string, rows: readonly TreeRow[]): string =>
  rows.find(({ path, isFolder }) => !isFolder && (path === chosen || chosen.endsWith(`/${path}`)))?.path ??
  chosen;

type ChangedProps = { changes: OpenChanges; chosen: string | undefined; onChoose: (file: string) => void };

/** Shows the files of a range, with the share of their added lines that have a reason. */
export function ChangedFiles({ changes, chosen, onChoose }: ChangedProps) {
  const { files = [], moreFiles = 0 } = changes.summary.value ?? {};
  const large = changes.largeFiles();
  if (files.length === 0) return <div class="slist" />;
  return (
    <div class="slist" tabIndex={0} role="group" aria-label="Files">
      <h2 class="sgroup eyebrow ft-head">
        {countOf(files.length + moreFiles, "file")} <span>lines with a reason</span>
      </h2>
      {files.map((file) => {
        const read = large.has(file) ? undefined : changes.files.value.get(file);
        return (
          <button
            key={file}
            type="button"
            class={file === chosen ? "fc ft-row on" : "fc ft-row"}
            style={{ "--depth": 0 }}
            title={file}
            aria-current={file === chosen ? "true" : undefined}
            onClick={() => onChoose(file)}
          >
            <Icon name="file" size={14} />
            <PlainText text={file.split("/").at(-1) ?? file} />
            {isRead(read) && read.added > 0 && <ShareMeter share={shareOf(read)} files={1} />}
          </button>
        );
      })}
      {moreFiles > 0 && <p class="dim rail-note">{formatCount(moreFiles)} more, not shown</p>}
    </div>
  );
}

const shareOf = ({ explained, added }: ChangedFile): Share => ({ explained, total: added });

export function ShareMeter({ share: { explained, total }, files }: { share: Share; files: number }) {
  const where = files > 1 ? `, in ${countOf(files, "changed file")}` : "";
  const words = `${formatCount(explained)} of ${countOf(total, "line")} ${total === 1 ? "has" : "have"} a reason${where}`;
  return (
    <span class="ft-meter" title={words}>
      <i style={{ "--v": `${(100 * explained) / Math.max(1, total)}%` }} />
      <span class="off-screen">{words}</span>
    </span>
  );
}
