import { useEffect, useRef, useState } from "preact/hooks";
import type { Counts } from "../../model/pages/comment.ts";
import type { FilesRoute } from "../../route-lists.ts";
import { type ChangedFile, isRead, type OpenChanges } from "../../state/pages/changes.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { Notice, Reading, Unreadable } from "../basics/banner.tsx";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { FileCard } from "./changed-file.tsx";
import { CommentPanel } from "./comment-panel.tsx";
import { typeOfHunk } from "./hunk.tsx";
import { ShareBar } from "./share-bar.tsx";

type Props = {
  changes: OpenChanges;
  route: FilesRoute;
  /** Called with the file at the top of the view. */
  onFile: (file: string) => void;
  onAgain: () => void;
};

/** Shows what a range of commits changed, with the reason above each hunk, and a comment to copy. */
export function ChangesPage({ changes, route, onFile, onAgain }: Props) {
  const failed = changes.failure.value;
  const summary = changes.summary.value;
  const [hasPanel, setPanel] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  useHunkKeys(changes);
  const first = route.path;
  useEffect(() => {
    if (first !== undefined && summary)
      document.querySelector(`[data-file="${CSS.escape(first)}"]`)?.scrollIntoView();
  }, [first, summary]);
  if (failed || !summary)
    return (
      <main class="page" id="main" tabIndex={-1}>
        <div class="fst">
          <RangeField range={changes.range} />
          {failed && failed.status >= 400 && failed.status < 500 ? (
            <Notice title="No changes to show">{failed.message}</Notice>
          ) : failed ? (
            <Unreadable what="the changes" words={failed.message} onAgain={onAgain} />
          ) : (
            <Reading rows={2} />
          )}
        </div>
      </main>
    );
  const files = summary.files.map((name) => ({ name, file: changes.files.value.get(name) }));
  const large = changes.largeFiles();
  const read = files.flatMap(({ name, file }) => (isRead(file) && !large.has(name) ? [file] : []));
  const counts = changes.isComplete() ? { ...countsOf(read), large: large.size } : undefined;
  const look = () => {
    const top = scroller.current?.getBoundingClientRect().top ?? 0;
    const cards = [...(scroller.current?.querySelectorAll<HTMLElement>("[data-file]") ?? [])];
    const shown = cards.find((card) => card.getBoundingClientRect().bottom > top + 40);
    if (shown?.dataset["file"] !== undefined) onFile(shown.dataset["file"]);
  };
  return (
    <main class={hasPanel ? "fw with-panel whole" : "fw whole"} id="main" tabIndex={-1}>
      <div class="fwh">
        <Coverage files={read} counts={counts} large={large.size} />
        <RangeField range={changes.range} />
        {!hasPanel && (
          <button type="button" class="btn" onClick={() => setPanel(true)}>
            <Icon name="note" />
            Comment
          </button>
        )}
      </div>
      <div
        class="fwb chg"
        tabIndex={0}
        role="group"
        aria-label="Changed lines with their reasons"
        ref={scroller}
        onScroll={look}
      >
        {counts && large.size === 0 && read.every(({ hunks }) => hunks.length === 0) && (
          <Notice title="Nothing to show">
            These commits added no lines that still exist and removed no lines.
          </Notice>
        )}
        {files.map(({ name, file }) => (
          <FileCard
            key={name}
            name={name}
            file={file}
            size={large.get(name)}
            onFirst={() => changes.readFirst(name)}
          />
        ))}
        {summary.moreFiles !== undefined && (
          <p class="dim">{countOf(summary.moreFiles, "more file")}, not shown.</p>
        )}
      </div>
      {hasPanel && <CommentPanel changes={changes} counts={counts} onClose={() => setPanel(false)} />}
    </main>
  );
}

/** Makes `j` and `k` move between hunks, and Enter open the thought of the focused hunk. */
function useHunkKeys(changes: OpenChanges) {
  const o = useObservatory();
  useEffect(() => {
    o.page.value = {
      ...o.page.peek(),
      open: () => document.activeElement?.querySelector<HTMLElement>("[data-thought]")?.click(),
    };
    return () => {
      o.page.value = undefined;
    };
  }, [o, changes]);
}

const sum = (files: readonly ChangedFile[], of: "added" | "explained"): number =>
  files.reduce((total, file) => total + file[of], 0);

const countsOf = (files: readonly ChangedFile[]): Counts => ({
  files: files.filter(({ hunks }) => hunks.length > 0).length,
  added: sum(files, "added"),
  explained: sum(files, "explained"),
});

type CoverageProps = { files: readonly ChangedFile[]; counts: Counts | undefined; large: number };

function Coverage({ files, counts, large }: CoverageProps) {
  const hunks = files.flatMap((file) => file.hunks);
  const sessions = new Set(hunks.flatMap(({ by }) => by?.sessionId ?? [])).size;
  return (
    <div class="cov">
      <p>
        <b>
          {counts ? formatCount(counts.explained) : "–"} of{" "}
          {counts ? countOf(counts.added, "added line") : "– added lines"}
        </b>{" "}
        have a reason{counts && sessions > 0 && <>, from {countOf(sessions, "session")}</>}
        {large > 0 && <>, without {countOf(large, "large file")}</>}.
      </p>
      <ShareBar
        stretches={hunks
          .filter(({ added }) => added > 0)
          .map((hunk) => ({ lines: hunk.added, type: typeOfHunk(hunk) }))}
      />
    </div>
  );
}

/** Shows the range in a field that can change it. */
function RangeField({ range }: { range: string }) {
  const { navigation } = useObservatory();
  return (
    <form
      class="range"
      onSubmit={(event) => {
        event.preventDefault();
        const next = String(new FormData(event.currentTarget).get("range") ?? "").trim();
        if (next !== "") navigation.go({ view: "files", path: undefined, line: undefined, changes: next });
      }}
    >
      <label class="field">
        <Icon name="fork" />
        <input
          key={range}
          name="range"
          aria-label="Commits"
          defaultValue={shortRange(range)}
          title={range}
          placeholder="main...HEAD"
          spellcheck={false}
          data-search
          maxLength={200}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
      </label>
    </form>
  );
}

/** Shortens commit IDs, because full ones would take up the whole bar. */
export const shortRange = (range: string): string =>
  range.replaceAll(/[0-9a-f]{12,64}/g, (id) => id.slice(0, 10));
