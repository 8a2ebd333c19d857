import { useEffect, useState } from "preact/hooks";
import { NONE } from "../../model/columns.ts";
import { withoutSign } from "../../model/gist.ts";
import { TYPE_NAMES, typeLetter } from "../../model/thought-types.ts";
import type { Watching } from "../../state/watching.ts";
import type { WholeThought } from "../../state/words.ts";
import { agentName } from "../../text/agent-names.ts";
import { findCellLink } from "../../text/cell-link.ts";
import { readCipher } from "../../text/cipher.ts";
import { formatClock, formatSpan } from "../../text/time-words.ts";
import { GapDeeds } from "../actions/what-it-did.tsx";
import { Chip } from "../basics/chip.tsx";
import { useCommand, useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { DecidedHere } from "../memory/decision-line.tsx";
import { CipherLines } from "./cipher-line.tsx";
import { CritiqueView } from "./critique.tsx";
import { LinkedCell } from "./linked-cell.tsx";
import { Links } from "./links.tsx";
import { Remarks, StarButton } from "./remarks.tsx";
import { ThoughtText } from "./thought-text.tsx";
import { WordDiff } from "./word-diff.tsx";

type Props = { watching: Watching; index: number };

const unbroken = (words: string): string => words.replaceAll(" ", "\u{a0}");

export function Detail({ watching, index }: Props) {
  const [raw, setRaw] = useState(false);
  const { columns } = watching.picture.value;
  watching.words.want(index, index);
  const whole = useWhole(watching, index, raw);
  return (
    <aside class="detail" aria-label="Thought">
      <Head watching={watching} index={index} raw={raw} onRaw={() => setRaw(!raw)} />
      <div class="db" tabIndex={0} role="group" aria-label="Thought and its links">
        {raw ? (
          <pre class="raw">
            <PlainText text={JSON.stringify(whole ?? { thought: columns.text[index] }, null, 2)} />
          </pre>
        ) : (
          <Body watching={watching} index={index} />
        )}
      </div>
      <Foot watching={watching} index={index} />
    </aside>
  );
}

function useWhole(watching: Watching, index: number, isWanted: boolean): WholeThought | undefined {
  const [whole, setWhole] = useState<WholeThought>();
  useEffect(() => {
    setWhole(undefined);
    if (!isWanted) return;
    const abort = new AbortController();
    void watching.words.whole(index, abort.signal).then((found) => !abort.signal.aborted && setWhole(found));
    return () => abort.abort();
  }, [watching, index, isWanted]);
  return whole;
}

function Head({ watching, index, raw, onRaw }: Props & { raw: boolean; onRaw: () => void }) {
  const run = useCommand();
  const { columns } = watching.picture.value;
  const letter = typeLetter(columns.type[index] ?? 0);
  const branch = columns.chains[columns.chain[index] ?? 0]?.id;
  const parent = columns.parent[index] ?? NONE;
  const time = columns.time[index] ?? 0;
  const agent = watching.session.records.get(index)?.agentId;
  return (
    <div class="dh">
      <Chip type={letter} size="l" />
      <div class="who">
        <h2>
          {TYPE_NAMES[letter]} <span class="mono">{columns.number[index]}</span>
        </h2>
        <span class="eyebrow">
          {branch ? (
            <span class="mono">
              <PlainText text={branch} />
            </span>
          ) : (
            "main\u{a0}line"
          )}
          {"\u{a0}· "}
          {formatClock(time)}
          {parent !== NONE &&
            `\u{a0}· ${unbroken(`after ${formatSpan(time - (columns.time[parent] ?? time))}`)}`}
          {agent !== undefined && (
            <>
              {"\u{a0}· "}
              <PlainText text={unbroken(agentName(agent))} />
            </>
          )}
        </span>
      </div>
      <StarButton watching={watching} index={index} />
      <button
        type="button"
        class="ib"
        aria-label="Copy link"
        title="Copy link"
        onClick={() => run("copy-link")}
      >
        <Icon name="link" />
      </button>
      <button
        type="button"
        class="ib"
        aria-label="Raw JSON"
        title="Raw JSON"
        aria-pressed={raw}
        onClick={onRaw}
      >
        <Icon name="braces" />
      </button>
      <button
        type="button"
        class="ib"
        aria-label="Close"
        title="Close"
        onClick={() => {
          watching.detailOpen.value = false;
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

function Body({ watching, index }: Props) {
  const [longer, setLonger] = useState<{ index: number; text: string }>();
  const plain = useObservatory().settings.plain.value;
  const { columns, moment } = watching.picture.value;
  const record = watching.session.records.get(index);
  const text = longer?.index === index ? longer.text : columns.text[index];
  if (text === undefined) return <p class="dim">Reading …</p>;
  const cipher = readCipher(text);
  const link = findCellLink(text);
  const isCut = record?.textLength !== undefined && text.length < record.textLength;
  const fetchWhole = () =>
    void watching.words
      .whole(index)
      .then((found) => found && setLonger({ index, text: found.thought.thought }));
  const replaced = columns.revises[index] ?? NONE;
  const by = columns.revisedBy[index] ?? NONE;
  const pair = replaced >= 0 ? [replaced, index] : by >= 0 && by <= moment ? [index, by] : undefined;
  return (
    <>
      <ThoughtText
        key={index}
        text={plain ? text : (cipher?.words ?? text)}
        plain={plain}
        {...(isCut && { length: record.textLength, onWhole: fetchWhole })}
      />
      {pair && <Changed watching={watching} before={pair[0] ?? 0} after={pair[1] ?? 0} />}
      {record?.critique && <CritiqueView critique={record.critique} />}
      <Remarks key={`remarks-${index}`} watching={watching} index={index} />
      <DecidedHere watching={watching} index={index} />
      {link && <LinkedCell watching={watching} link={link} />}
      <Links key={`links-${index}`} watching={watching} index={index} />
      {cipher && <CipherLines cipher={cipher} />}
      <DoneHere watching={watching} index={index} />
    </>
  );
}

/** Shows what the agent did on the way to this thought, and after it. */
function DoneHere({ watching, index }: Props) {
  const { columns } = watching.picture.value;
  const { done, isLocal, hasReadActions } = watching.session;
  if (done.value.all.length === 0)
    return isLocal.value || !hasReadActions.value ? null : (
      <p class="dim no-transcript">Thoughts only: no transcript of this session.</p>
    );
  const before = columns.parent[index] ?? NONE;
  const isSameLine = before !== NONE && columns.chain[before] === columns.chain[index];
  return (
    <>
      {isSameLine && <GapDeeds watching={watching} thought={before} />}
      <GapDeeds watching={watching} thought={index} />
    </>
  );
}

function Changed({ watching, before, after }: { watching: Watching; before: number; after: number }) {
  const { columns } = watching.picture.value;
  watching.words.want(before, before);
  watching.words.want(after, after);
  const side = (index: number) => {
    const text = (columns.text[index] ?? "").slice(0, 20_000);
    return { number: columns.number[index] ?? 0, text: withoutSign(readCipher(text)?.words ?? text) };
  };
  return (
    <section class="sec">
      <h3>What changed</h3>
      <WordDiff before={side(before)} after={side(after)} />
    </section>
  );
}

function Foot({ watching, index }: Props) {
  const { select } = useObservatory();
  const { columns, moment } = watching.picture.value;
  const previous = columns.parent[index] ?? NONE;
  const line = columns.chains[columns.chain[index] ?? 0]?.thoughts ?? [];
  const next = line[(columns.place[index] ?? 0) + 1] ?? NONE;
  const hasNext = next !== NONE && next <= moment;
  return (
    <div class="df">
      {previous !== NONE && (
        <button
          type="button"
          class="btn"
          aria-label={`Previous, thought ${columns.number[previous]}`}
          onClick={() => select(previous)}
        >
          <Icon name="left" />
          {columns.number[previous]}
        </button>
      )}
      {hasNext && (
        <button
          type="button"
          class="btn"
          aria-label={`Next, thought ${columns.number[next]}`}
          onClick={() => select(next)}
        >
          {columns.number[next]}
          <Icon name="right" />
        </button>
      )}
      <span class="hint">
        <kbd>h</kbd>
        <kbd>l</kbd> along the line
      </span>
    </div>
  );
}
