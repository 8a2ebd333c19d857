import { useEffect, useState } from "preact/hooks";
import { formatRoute } from "../../route.ts";
import { memoryRoute } from "../../route-lists.ts";
import { type Pinned, type Reasons, readReasons } from "../../state/pages/files.ts";
import type { FileBlock } from "../../state/pages/open-file.ts";
import { agoWords, formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { useCommand, useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { Keys } from "../basics/key-line.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { DecisionState } from "../memory/decision-line.tsx";
import { FoundReasons, Section } from "./found-reasons.tsx";

type Props = {
  path: string;
  /** The commit at which the file is shown. */
  at: string | undefined;
  block: FileBlock;
  line: number | undefined;
  close: string;
};

/** Shows why the selected lines exist: the request, the reason, the abandoned attempts, and later changes. */
export function ReasonPanel({ path, at, block, line, close }: Props) {
  const now = useNow();
  const run = useCommand();
  const get = useObservatory().server.value?.get;
  const [reasons, setReasons] = useState<Reasons | string>();
  const [pinned, setPinned] = useState<readonly Pinned[]>([]);
  const { from, to, writer, commit, isKnown } = block;
  useEffect(() => {
    setReasons(undefined);
    if (!get || !isKnown) return;
    const abort = new AbortController();
    void readReasons(get, { file: path, at, line: from, to }, abort.signal).then((fetched) => {
      if (abort.signal.aborted) return;
      setPinned("answer" in fetched ? (fetched.answer.pinned ?? []) : []);
      setReasons(
        "answer" in fetched ? (fetched.answer.answers[0] ?? fetched.answer.note) : fetched.failed.message,
      );
    });
    return () => abort.abort();
  }, [get, path, at, from, to, isKnown]);
  const found = typeof reasons === "object" ? reasons : undefined;
  const written = writer
    ? `${writer.how} · written ${formatMoment(Date.parse(writer.at), now)}`
    : "no reason recorded";
  return (
    <aside class="detail" aria-label="Reasons">
      <div class="dh">
        {writer && found && <Chip type={found.because?.type ?? "N"} size="l" />}
        <div class="who">
          <h2>
            {from === to ? `Line ${from}` : `Lines ${from}–${to}`}
            {line !== undefined && from !== to && <span class="num"> line {line}</span>}
          </h2>
          <span class="eyebrow">
            {!isKnown ? (
              "asking git …"
            ) : commit ? (
              <>
                {written} · commit{" "}
                <a href={formatRoute({ view: "files", path, line: undefined, at: commit.sha })}>
                  {commit.sha.slice(0, 7)}
                </a>
              </>
            ) : (
              `${written} · not committed yet`
            )}
          </span>
        </div>
        <button
          type="button"
          class="ib"
          aria-label="Copy link"
          title="Copy link"
          onClick={() => run("copy-link")}
        >
          <Icon name="link" />
        </button>
        <a class="ib" href={close} aria-label="Close" title="Close">
          <Icon name="close" />
        </a>
      </div>
      <div class="db" tabIndex={0} role="group" aria-label="Reasons for these lines">
        {isKnown && !writer && <p class="dim">No imported session wrote these lines.</p>}
        {typeof reasons === "string" && <p class="dim">{reasons}</p>}
        {found && <FoundReasons reasons={found} />}
        {isKnown && !writer && commit && (
          <Section title="Commit">
            <p>
              <PlainText text={commit.subject} />
            </p>
            <p class="meta">
              <PlainText text={commit.author} /> <span class="sep">·</span>{" "}
              {agoWords(Date.parse(commit.at), now)}
            </p>
          </Section>
        )}
        {pinned.length > 0 && (
          <Section title="Decided in">
            {pinned.map((card) => (
              <div class="pinned" key={card.id}>
                <a class="lnk" href={formatRoute(memoryRoute({ item: card.id, as: "cards" }))}>
                  <span class="mono">{card.id}</span> <PlainText text={card.title} />
                </a>
                <DecisionState decision={card} />
              </div>
            ))}
          </Section>
        )}
      </div>
      <div class="df">
        <Keys
          keys={[
            ["j k", "block"],
            ["↑ ↓", "line"],
            ["↵", "to the thought"],
            ["y", "copy link"],
          ]}
        />
      </div>
    </aside>
  );
}
