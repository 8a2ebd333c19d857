import { useEffect, useState } from "preact/hooks";
import { formatRoute, sessionRoute } from "../../route.ts";
import { type ChangedFile, type Changes, type Hunk, nameOf, readChanges } from "../../state/pages/files.ts";
import { agentName } from "../../text/agent-names.ts";
import { countOf } from "../../text/count-words.ts";
import { highlight } from "../../text/highlight.ts";
import { Notice } from "../basics/banner.tsx";
import { CommandBox } from "../basics/command-box.tsx";
import { useObservatory } from "../basics/context.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

/** The lines that a commit range added and removed, with the reason above each hunk, and a comment to copy. */
export function ChangesPage({ range }: { range: string }) {
  const get = useObservatory().server.value?.get;
  const [read, setRead] = useState<{ range: string; changes?: Changes; failed?: string }>();
  useEffect(() => {
    if (!get) return;
    const abort = new AbortController();
    void readChanges(get, range, abort.signal).then((fetched) => {
      if (abort.signal.aborted) return;
      setRead(
        "answer" in fetched ? { range, changes: fetched.answer } : { range, failed: fetched.failed.message },
      );
    });
    return () => abort.abort();
  }, [get, range]);
  const here = read?.range === range ? read : undefined;
  if (here?.failed !== undefined)
    return (
      <main class="page" id="main" tabIndex={-1}>
        <Notice title="Could not read the changes">{here.failed}</Notice>
      </main>
    );
  return here?.changes ? <Shown changes={here.changes} range={range} /> : <main class="page" id="main" />;
}

function Shown({ changes: { files, comment, more }, range }: { changes: Changes; range: string }) {
  const sum = (of: "added" | "explained") => files.reduce((total, file) => total + file[of], 0);
  const sessions = new Set(
    files.flatMap(({ hunks }) => hunks.flatMap(({ reason }) => reason?.by?.sessionId ?? [])),
  ).size;
  return (
    <main class="fw with-panel whole" id="main">
      <div class="fwh">
        <p>
          <b>
            {sum("explained")} of {countOf(sum("added"), "added line")}
          </b>{" "}
          have a reason{sessions > 0 && <>, from {countOf(sessions, "session")}</>}.
        </p>
        <span class="surel mono">
          <PlainText text={range} />
        </span>
      </div>
      <div class="fwb chg" tabIndex={0} role="group" aria-label="Changed lines with their reasons">
        {files.length === 0 && (
          <Notice title="Nothing to show">These commits added no lines that still exist.</Notice>
        )}
        {files.map((file) => (
          <FileCard key={file.file} file={file} />
        ))}
        {more > 0 && <p class="dim">{countOf(more, "more edit")}, not shown.</p>}
      </div>
      <CommentPanel comment={comment} range={range} />
    </main>
  );
}

const FileCard = ({ file: { file, hunks, added, removed } }: { file: ChangedFile }) => (
  <section class="chf">
    <h2>
      <Icon name="file" size={14} />
      <a href={formatRoute({ view: "files", path: file, line: undefined })}>
        <PlainText text={file} />
      </a>
      <span class="added">+{added}</span>
      {removed > 0 && <span class="bad">−{removed}</span>}
    </h2>
    {hunks.map((hunk, at) => (
      <HunkRow key={at} hunk={hunk} file={file} />
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

function HunkRow({ hunk, file }: { hunk: Hunk; file: string }) {
  const { from, to, reason } = hunk;
  const { by, because, asked, commit } = reason ?? {};
  const name = by?.thought === undefined ? undefined : nameOf(by.thought);
  const language = file.split(".").at(-1) ?? "";
  return (
    <>
      <div class={by ? "chr" : "chr un"}>
        <p>
          {by ? (
            <PlainText text={because?.text ?? asked?.text ?? by.title ?? "Written by an agent."} />
          ) : (
            <PlainText
              text={
                reason
                  ? `No imported session wrote these lines.${commit ? ` Commit ${commit.sha.slice(0, 7)}: ${commit.subject}` : ""}`
                  : "Lines were removed here."
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

const LONGEST = 1_200;

/** Shows the comment exactly as it is copied. */
const CommentPanel = ({ comment, range }: { comment: string; range: string }) => (
  <aside class="detail" aria-label="Comment for the pull request">
    <div class="dh">
      <div class="who">
        <h2>Comment for the pull request</h2>
        <span class="eyebrow">
          {comment.length.toLocaleString("en")} of {LONGEST.toLocaleString("en")} characters
        </span>
      </div>
    </div>
    <div class="db" tabIndex={0} role="group" aria-label="Comment">
      <pre class="chm">
        <PlainText text={comment} />
      </pre>
      <CopyButton text={() => comment} label="Copy Markdown" words="Copy Markdown" />
      <section class="sec">
        <h3>On the command line</h3>
        <CommandBox text={`thoughtbox why --diff ${range} --format markdown`} />
      </section>
      <p class="dim">Nothing is sent. Secrets are masked before you see the text.</p>
    </div>
  </aside>
);
