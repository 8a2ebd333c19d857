import { useEffect, useState } from "preact/hooks";
import { formatRoute, sessionRoute } from "../../route.ts";
import { type ChangedFile, type Changes, type Hunk, nameOf, readChanges } from "../../state/pages/files.ts";
import type { ThoughtType } from "../../state/thought.ts";
import { agentName } from "../../text/agent-names.ts";
import { countOf } from "../../text/count-words.ts";
import { highlight } from "../../text/highlight.ts";
import { Notice } from "../basics/banner.tsx";
import { Chip } from "../basics/chip.tsx";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { CommentPanel } from "./comment-panel.tsx";
import { type Thoughts, useThoughts } from "./file-blocks.tsx";
import { ShareBar } from "./share-bar.tsx";

type Read = { range: string; changes?: Changes; failed?: string };

/** `undefined` while reading. */
export function useChanges(range: string | undefined): Read | undefined {
  const get = useObservatory().server.value?.get;
  const [read, setRead] = useState<Read>();
  useEffect(() => {
    if (!get || range === undefined) return;
    const abort = new AbortController();
    void readChanges(get, range, abort.signal).then((fetched) => {
      if (abort.signal.aborted) return;
      setRead(
        "answer" in fetched ? { range, changes: fetched.answer } : { range, failed: fetched.failed.message },
      );
    });
    return () => abort.abort();
  }, [get, range]);
  return read?.range === range ? read : undefined;
}

/** The lines that a commit range added and removed, with the reason above each hunk, and a comment to copy. */
export function ChangesPage({ read }: { read: Read | undefined }) {
  if (read?.failed !== undefined)
    return (
      <main class="page" id="main" tabIndex={-1}>
        <Notice title="Could not read the changes">{read.failed}</Notice>
      </main>
    );
  return read?.changes ? (
    <Shown changes={read.changes} range={read.range} />
  ) : (
    <main class="page" id="main" />
  );
}

function Shown({ changes: { files, comment, more }, range }: { changes: Changes; range: string }) {
  const sum = (of: "added" | "explained") => files.reduce((total, file) => total + file[of], 0);
  const hunks = files.flatMap((file) => file.hunks);
  const thoughts = useThoughts(hunks.map(({ reason }) => reason?.by?.thought));
  const sessions = new Set(hunks.flatMap(({ reason }) => reason?.by?.sessionId ?? [])).size;
  return (
    <main class="fw with-panel whole" id="main">
      <div class="fwh">
        <div class="cov">
          <p>
            <b>
              {sum("explained")} of {countOf(sum("added"), "added line")}
            </b>{" "}
            have a reason{sessions > 0 && <>, from {countOf(sessions, "session")}</>}.
          </p>
          <ShareBar
            stretches={hunks
              .filter(({ lines }) => lines.length > 0)
              .map(({ lines, reason }) => ({ lines: lines.length, type: typeOf(reason, thoughts) }))}
          />
        </div>
        <span class="surel mono" title={range}>
          <PlainText text={shortRange(range)} />
        </span>
      </div>
      <div class="fwb chg" tabIndex={0} role="group" aria-label="Changed lines with their reasons">
        {files.length === 0 && (
          <Notice title="Nothing to show">
            These commits added no lines that still exist, and removed none.
          </Notice>
        )}
        {files.map((file) => (
          <FileCard key={file.file} file={file} thoughts={thoughts} />
        ))}
        {more > 0 && <p class="dim">{countOf(more, "more edit")}, not shown.</p>}
      </div>
      <CommentPanel comment={comment} range={range} />
    </main>
  );
}

/** Full commit IDs take up the whole bar. */
export const shortRange = (range: string): string =>
  range.replaceAll(/[0-9a-f]{12,64}/g, (id) => id.slice(0, 7));

/** `undefined` if no session wrote the lines. */
const typeOf = (reason: Hunk["reason"], thoughts: Thoughts): ThoughtType | undefined =>
  reason?.by ? (thoughts.get(reason.by.thought ?? "")?.type ?? "N") : undefined;

type CardProps = { file: ChangedFile; thoughts: Thoughts };

const FileCard = ({ file: { file, deleted, hunks, added, removed }, thoughts }: CardProps) => (
  <section class="chf" data-file={file}>
    <h2>
      <Icon name="file" size={14} />
      <a href={formatRoute({ view: "files", path: file, line: undefined })}>
        <PlainText text={file} />
      </a>
      {deleted && <span class="dim">deleted</span>}
      <span class="added">{added > 0 && `+${added}`}</span>
      {removed > 0 && <span class="bad">−{removed}</span>}
    </h2>
    {hunks.map((hunk, at) => (
      <HunkRow
        key={at}
        hunk={hunk}
        file={file}
        type={typeOf(hunk.reason, thoughts)}
        without={
          deleted ? `Commit ${deleted.sha.slice(0, 7)}: ${deleted.subject}` : "Lines were removed here."
        }
      />
    ))}
  </section>
);

/** A line with its number before and after. */
type Line = { old?: number; now?: number; text: string };

const linesOf = ({ from, lines, removed }: Hunk): Line[] => {
  const gone = (at: number): Line[] =>
    removed.flatMap(({ before, from: old, lines: texts }) =>
      before === at ? texts.map((text, n) => ({ old: old + n, text })) : [],
    );
  if (lines.length === 0) return gone(from);
  return lines.flatMap((text, n) => [...gone(from + n), { now: from + n, text }]);
};

type RowProps = {
  hunk: Hunk;
  file: string;
  type: ThoughtType | undefined;
  /** Words for lines that were only removed. */
  without: string;
};

function HunkRow({ hunk, file, type, without }: RowProps) {
  const { from, to, reason } = hunk;
  const { by, because, asked, commit } = reason ?? {};
  const name = by?.thought === undefined ? undefined : nameOf(by.thought);
  const language = file.split(".").at(-1) ?? "";
  return (
    <>
      <div class={by ? `chr k-${type}` : "chr un"}>
        {type && <Chip type={type} />}
        <p>
          {by ? (
            <PlainText text={because?.text ?? asked?.text ?? by.title ?? "Written by an agent."} />
          ) : (
            <PlainText
              text={
                reason
                  ? `No imported session wrote these lines.${commit ? ` Commit ${commit.sha.slice(0, 7)}: ${commit.subject}` : ""}`
                  : without
              }
            />
          )}
        </p>
        {reason && <span class="num">{from === to ? from : `${from}–${to}`}</span>}
        {by && (
          <span class="chrm">
            <PlainText text={agentName(by.agent)} />
            {name && (
              <>
                {" · "}
                <a
                  href={formatRoute(
                    sessionRoute(name.session, { thought: { branch: name.branch, number: name.number } }),
                  )}
                >
                  thought {name.number}
                </a>
              </>
            )}
            {because && asked && (
              <>
                {" · asked: “"}
                <PlainText text={asked.text} />”
              </>
            )}
            {` · ${by.how}`}
          </span>
        )}
      </div>
      <pre tabIndex={0} role="group" aria-label={reason ? `Lines ${from} to ${to}` : "Removed lines"}>
        {linesOf(hunk).map(({ old, now, text }, at) => (
          <span key={at} class={old === undefined ? "fl-line" : "fl-line del"}>
            <span class="fno" aria-hidden="true">
              {old}
            </span>
            <span class="fno" aria-hidden="true">
              {now}
            </span>
            {old === undefined ? "+ " : "− "}
            {highlight(text, language).map((token, part) => (
              <span key={part} class={token.kind}>
                <PlainText text={token.text} />
              </span>
            ))}
            {"\n"}
          </span>
        ))}
      </pre>
    </>
  );
}
