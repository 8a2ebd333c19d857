import { useEffect, useRef, useState } from "preact/hooks";
import { gist } from "../../model/gist.ts";
import { formatRoute } from "../../route.ts";
import {
  type FileBlock,
  type FileWithReasons,
  nameOf,
  type Removed,
  readThought,
} from "../../state/pages/files.ts";
import type { ThoughtType } from "../../state/thought.ts";
import { agentName } from "../../text/agent-names.ts";
import { highlight } from "../../text/highlight.ts";
import { formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { PlainText } from "../basics/plain-text.tsx";

export type Thoughts = ReadonlyMap<string, { type: ThoughtType; text: string }>;
const MOST_THOUGHTS = 60;

/** Loads thoughts by ID. */
export function useThoughts(named: readonly (string | undefined)[]): Thoughts {
  const get = useObservatory().server.value?.get;
  const [thoughts, setThoughts] = useState<Thoughts>(new Map());
  const ids = [...new Set(named.flatMap((id) => id ?? []))].slice(0, MOST_THOUGHTS);
  useEffect(() => {
    if (!get) return;
    const abort = new AbortController();
    void Promise.all(ids.map(async (id) => [id, await readThought(get, id, abort.signal)] as const)).then(
      (found) => {
        if (abort.signal.aborted) return;
        setThoughts(new Map(found.flatMap(([id, thought]) => (thought ? [[id, thought] as const] : []))));
      },
    );
    return () => abort.abort();
  }, [get, ids.join(" ")]);
  return thoughts;
}

type Props = {
  file: FileWithReasons;
  thoughts: Thoughts;
  chosen: number | undefined;
  line: number | undefined;
  path: string;
};

/** Code with its reasons in the margin, which stays in place while the code scrolls sideways. */
export function FileBlocks({ file, thoughts, chosen, line, path }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  // A link to a line shows that line. A click on a visible line moves nothing.
  useEffect(() => {
    const box = scroller.current;
    const [view, mark] = [box, box?.querySelector(".fl-line.at")].map((one) => one?.getBoundingClientRect());
    if (!box || !view || !mark || (mark.top >= view.top && mark.bottom <= view.bottom)) return;
    box.scrollTop += mark.top - view.top - view.height / 2;
  }, [file, line]);
  return (
    <div class="fwb" tabIndex={0} role="group" aria-label="Lines with their reasons" ref={scroller}>
      {file.blocks.map((block) => (
        <Block
          key={block.from}
          block={block}
          thoughts={thoughts}
          isOn={block.from === chosen}
          line={line}
          path={path}
        />
      ))}
      {file.deleted && <Deleted removed={file.removed} language={path.split(".").at(-1) ?? ""} />}
    </div>
  );
}

const Deleted = ({ removed, language }: { removed: readonly Removed[]; language: string }) => (
  <pre class="gone-file">
    {removed.flatMap(({ from, lines }) =>
      lines.map((line, at) => (
        <span key={from + at} class="fl-line del">
          <span class="fno" aria-hidden="true">
            {from + at}
          </span>
          − <Code text={line} language={language} />
          {"\n"}
        </span>
      )),
    )}
  </pre>
);

const Code = ({ text, language }: { text: string; language: string }) => (
  <>
    {highlight(text, language).map((token, part) => (
      <span key={part} class={token.kind}>
        <PlainText text={token.text} />
      </span>
    ))}
  </>
);

const looks = { sure: "bar-sure", likely: "bar-likely", "by-commit": "bar-commit" } as const;

function Block({
  block,
  thoughts,
  isOn,
  line: marked,
  path,
}: {
  block: FileBlock;
  thoughts: Thoughts;
  isOn: boolean;
  line: number | undefined;
  path: string;
}) {
  const now = useNow();
  const { from, lines, writer, commit } = block;
  const thought = writer?.thought === undefined ? undefined : thoughts.get(writer.thought);
  const type = thought?.type ?? "N";
  const number = writer?.thought === undefined ? undefined : nameOf(writer.thought)?.number;
  return (
    <div
      class={`fb k-${type}${isOn ? " on" : ""}${writer ? "" : " un"}`}
      style={{ "--n": Math.max(1, Math.min(4, lines.length) - 1) }}
    >
      <a class="fm" href={formatRoute({ view: "files", path, line: from })} data-row>
        {writer ? (
          <>
            <Chip type={type} />
            <span class="fmt">
              <span class="say">
                <PlainText text={thought ? gist(thought.text) : (writer.title ?? "written by an agent")} />
              </span>
              <span class={lines.length > 1 ? "meta" : "off-screen"}>
                {number} <span class="sep">·</span> <PlainText text={agentName(writer.agent)} />{" "}
                <span class="sep">·</span> {formatMoment(Date.parse(writer.at), now)}
              </span>
            </span>
          </>
        ) : (
          <span class="fmt">
            <span class="meta">
              <span class="ell">
                <PlainText
                  text={commit ? `${commit.sha.slice(0, 7)} ${commit.subject}` : "Not committed yet"}
                />
              </span>
            </span>
          </span>
        )}
      </a>
      <i class={`fbar ${writer ? looks[writer.how] : ""}`} aria-hidden="true" />
      <pre>
        {lines.map((line, at) => (
          <span key={at} class={from + at === marked ? "fl-line at" : "fl-line"}>
            <span class="fno" aria-hidden="true">
              {from + at}
            </span>
            <Code text={line} language={path.split(".").at(-1) ?? ""} />
            {"\n"}
          </span>
        ))}
      </pre>
    </div>
  );
}
