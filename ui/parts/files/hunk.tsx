import { useState } from "preact/hooks";
import { gist } from "../../model/gist.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import type { ChangedFile, Hunk } from "../../state/pages/changes.ts";
import { nameOf } from "../../state/pages/files.ts";
import type { ThoughtType } from "../../state/thought.ts";
import { agentName } from "../../text/agent-names.ts";
import { countOf } from "../../text/count-words.ts";
import { Chip } from "../basics/chip.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { Code, languageOf } from "./code.tsx";

/** Returns the type of the thought that explains a hunk, or `undefined` if no session wrote the hunk. */
export const typeOfHunk = ({ by, because }: Hunk): ThoughtType | undefined =>
  by ? (because?.type ?? "N") : undefined;

/** How many lines of a long hunk are shown at first. */
const FEW_LINES = 40;

/** Shows changed lines, with their reason above them. */
export function HunkView({ hunk, file }: { hunk: Hunk; file: ChangedFile }) {
  const { from, to, added, by, lines, moreLines } = hunk;
  const type = typeOfHunk(hunk);
  const [isWhole, setWhole] = useState(false);
  const language = languageOf(file.file);
  const isAdded = added > 0;
  const shown = isWhole || lines.length <= FEW_LINES + 10 ? lines : lines.slice(0, FEW_LINES);
  return (
    <>
      <div class={by ? `chr k-${type}` : "chr un"} tabIndex={-1} data-row>
        {type && <Chip type={type} />}
        <p>
          <PlainText text={wordsOf(hunk, file)} />
        </p>
        {isAdded && (
          <a
            class="num"
            href={formatRoute({ view: "files", path: file.file, line: from, ...(to > from && { to }) })}
            title="Show in the file"
          >
            {from === to ? from : `${from}–${to}`}
          </a>
        )}
        {by && <Facts hunk={hunk} by={by} />}
      </div>
      <pre tabIndex={0} role="group" aria-label={isAdded ? `Lines ${from} to ${to}` : "Removed lines"}>
        {shown.map(({ old, now, isSame, text }, at) => (
          <span key={at} class={isSame ? "fl-line" : now === undefined ? "fl-line del" : "fl-line add"}>
            <span class="fno" aria-hidden="true">
              {old}
            </span>
            <span class="fno" aria-hidden="true">
              {now}
            </span>
            <span class="sign">{isSame ? " " : now === undefined ? "−" : "+"}</span>
            <Code text={text} language={language} />
            {"\n"}
          </span>
        ))}
      </pre>
      {shown.length < lines.length && (
        <button type="button" class="more chmore" onClick={() => setWhole(true)}>
          {countOf(lines.length - shown.length, "more line")}
        </button>
      )}
      {shown.length === lines.length && moreLines !== undefined && (
        <p class="chnote">{countOf(moreLines, "more line")}, not shown.</p>
      )}
    </>
  );
}

function wordsOf({ by, because, asked, commit, added }: Hunk, { deleted }: ChangedFile): string {
  if (by) return gist(because?.text ?? asked?.text ?? by.title ?? "Written by an agent.");
  if (added > 0)
    return `No imported session wrote these lines.${commit ? ` Commit ${commit.sha.slice(0, 7)}: ${commit.subject}` : ""}`;
  return deleted ? `Commit ${deleted.sha.slice(0, 7)}: ${deleted.subject}` : "Lines were removed here.";
}

function Facts({ hunk: { because, asked }, by }: { hunk: Hunk; by: NonNullable<Hunk["by"]> }) {
  const name = nameOf(because?.thought ?? by.thought ?? "");
  return (
    <span class="chrm">
      <PlainText text={agentName(by.agent)} />
      {name && (
        <>
          {" · "}
          <a
            data-thought
            href={formatRoute(
              sessionRoute(name.session, { thought: { branch: name.branch, number: name.number } }),
            )}
          >
            thought {name.number}
          </a>
        </>
      )}
      {` · ${by.how}`}
      {because && asked && (
        <>
          {" · asked: “"}
          <PlainText text={gist(asked.text)} />”
        </>
      )}
    </span>
  );
}
