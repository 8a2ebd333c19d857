import { useMemo } from "preact/hooks";
import { gist } from "../../model/gist.ts";
import { nameOf } from "../../state/pages/files.ts";
import type { BlockReason, FileBlock } from "../../state/pages/open-file.ts";
import type { ThoughtType } from "../../state/thought.ts";
import { agentName } from "../../text/agent-names.ts";
import { agoWords, formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { Code } from "./code.tsx";

const looks = { sure: "bar-sure", likely: "bar-likely", "by-commit": "bar-commit" } as const;

export type BlockProps = {
  block: FileBlock;
  reason: BlockReason | undefined;
  lines: readonly (string | undefined)[];
  language: string;
  isOn: boolean;
  /** Selected lines, if they are in this block. */
  marked: { from: number; to: number } | undefined;
  /** Whether the block is the first of its commit, so that its margin names the author. */
  isFirst: boolean;
  /** Whether the block is the first one that is older than every session. */
  isOldest: boolean;
  /** Whether Tab reaches this block. `j` and `k` lead to the other blocks. */
  isTabStop: boolean;
  href: string;
  onOpen: () => void;
};

/** Returns the type of the thought that explains a block, or `undefined` until the type is known. */
export const typeOf = (block: FileBlock, reason: BlockReason | undefined): ThoughtType | undefined =>
  block.writer && reason ? (reason.because?.type ?? "N") : undefined;

/**
 * Shows neighbouring lines of one edit, with the reason in the margin. The height depends only on the lines,
 * so nothing moves when a reason arrives later.
 */
export function FileBlockView(props: BlockProps) {
  const { block, reason, lines, language, isOn, isTabStop, marked, href, onOpen } = props;
  const { from, to, writer, isKnown } = block;
  const type = typeOf(block, reason);
  // An unchanged element is not compared again, so moving the selection stays fast in long files.
  const code = useMemo(() => {
    const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
    return (
      <>
        <div class="fno" aria-hidden="true">
          {numbers.join("\n")}
        </div>
        <pre>
          {numbers.map((number) => (
            <span key={number} class="fl-line">
              <Code text={lines[number - 1] ?? ""} language={language} />
              {"\n"}
            </span>
          ))}
        </pre>
      </>
    );
  }, [lines, from, to, language]);
  const look = [
    "fb",
    ...(writer ? [`k-${type ?? "N"}`] : isKnown ? ["un"] : []),
    ...(isOn ? ["on"] : []),
    ...(writer && !type ? ["wait"] : []),
  ].join(" ");
  return (
    <div class={look} style={{ "--lines": to - from + 1 }}>
      <a
        class="fm"
        id={`block-${from}`}
        href={href}
        aria-current={isOn ? "true" : undefined}
        tabIndex={isTabStop ? 0 : -1}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !isOn) return;
          event.preventDefault();
          onOpen();
        }}
      >
        <span class="off-screen">
          Lines {from} to {to}.{" "}
        </span>
        {writer ? <Written {...props} type={type} /> : isKnown && <Unwritten {...props} />}
      </a>
      <i class={`fbar ${writer ? looks[writer.how] : ""}`} aria-hidden="true" />
      <div class="fcode" data-from={from} data-to={to}>
        {marked && (
          <i class="fat" style={{ "--at": marked.from - from, "--count": marked.to - marked.from + 1 }} />
        )}
        {code}
      </div>
    </div>
  );
}

/** Returns how many lines of the reason fit beside the code. */
const roomFor = ({ from, to }: FileBlock): number => Math.max(1, Math.min(5, to - from + 1) - 1);

function Written({ block, reason, type }: BlockProps & { type: ThoughtType | undefined }) {
  const now = useNow();
  const { writer, from, to } = block;
  if (!writer) return null;
  const { because, asked } = reason ?? {};
  const words = because?.text ?? asked?.text ?? writer.title ?? "Written by an agent";
  const thought = because?.thought ?? writer.thought;
  const number = thought === undefined ? undefined : nameOf(thought)?.number;
  return (
    <>
      {type ? <Chip type={type} /> : <span class="chip" />}
      <span class="fmt">
        {type && (
          <span class="say" style={{ "--n": roomFor(block) }}>
            <PlainText text={gist(words)} />
          </span>
        )}
        <span class={to > from ? "meta" : "off-screen"}>
          {number} <span class="sep">·</span> <PlainText text={agentName(writer.agent)} />{" "}
          <span class="sep">·</span> {formatMoment(Date.parse(writer.at), now)}
        </span>
      </span>
    </>
  );
}

function Unwritten({ block: { commit, from, to }, isFirst, isOldest }: BlockProps) {
  const now = useNow();
  const subject = commit ? `${commit.sha.slice(0, 7)} ${commit.subject}` : "Not committed yet";
  const room = to - from + 1;
  return (
    <span class="fmt">
      <span class="say plain" title={subject}>
        <PlainText text={isOldest ? "Before the first session" : subject} />
      </span>
      {isOldest && room > 1 && (
        <span class="meta">
          <span class="ell">
            <PlainText text={subject} />
          </span>
        </span>
      )}
      {commit && isFirst && room > (isOldest ? 2 : 1) && (
        <span class="meta">
          <PlainText text={commit.author} /> <span class="sep">·</span> {agoWords(Date.parse(commit.at), now)}
        </span>
      )}
    </span>
  );
}
