import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatRoute, sessionRoute } from "../../route.ts";
import { memoryRoute } from "../../route-lists.ts";
import { type FileBlock, nameOf, type Pinned, type Reasons, readReasons } from "../../state/pages/files.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { DecisionState } from "../memory/decision-line.tsx";

type Props = { path: string; block: FileBlock; close: string };

/** Why the selected lines exist: the request, the reason, the abandoned attempts, and later changes. */
export function ReasonPanel({ path, block, close }: Props) {
  const now = useNow();
  const get = useObservatory().server.value?.get;
  const [reasons, setReasons] = useState<Reasons | string>();
  const [pinned, setPinned] = useState<readonly Pinned[]>([]);
  const { from, to, writer, commit } = block;
  useEffect(() => {
    setReasons(undefined);
    if (!get) return;
    const abort = new AbortController();
    void readReasons(get, { file: path, line: from, to }, abort.signal).then((fetched) => {
      if (abort.signal.aborted) return;
      setPinned("answer" in fetched ? (fetched.answer.pinned ?? []) : []);
      setReasons(
        "answer" in fetched ? (fetched.answer.answers[0] ?? fetched.answer.note) : fetched.failed.message,
      );
    });
    return () => abort.abort();
  }, [get, path, from, to]);
  const named = writer?.thought === undefined ? undefined : nameOf(writer.thought);
  return (
    <aside class="detail" aria-label="Reasons">
      <div class="dh">
        <div class="who">
          <h2>{from === to ? `Line ${from}` : `Lines ${from}–${to}`}</h2>
          <span class="eyebrow">
            {writer
              ? `${writer.how} · written ${formatMoment(Date.parse(writer.at), now)}`
              : "no reason recorded"}
            {commit && ` · commit ${commit.sha.slice(0, 7)}`}
          </span>
        </div>
        <a class="ib" href={close} aria-label="Close" title="Close">
          <Icon name="close" />
        </a>
      </div>
      <div class="db" tabIndex={0} role="group" aria-label="Reasons for these lines">
        {!writer && <p class="dim">No imported session wrote these lines.</p>}
        {commit && (
          <Section title="Commit">
            <p>
              <PlainText text={commit.subject} />
            </p>
            <p class="meta">
              <PlainText text={commit.author} />
            </p>
          </Section>
        )}
        {typeof reasons === "string" && <p class="dim">{reasons}</p>}
        {typeof reasons === "object" && <Found reasons={reasons} />}
        {writer && named && (
          <Section title="Thought">
            <a
              class="lnk"
              href={formatRoute(
                sessionRoute(named.session, { thought: { branch: named.branch, number: named.number } }),
              )}
            >
              {named.number} in <PlainText text={writer.title ?? named.session} />
            </a>
            <p class="meta">{agentName(writer.agent)}</p>
          </Section>
        )}
        {pinned.length > 0 && (
          <Section title="Decisions and cards">
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
    </aside>
  );
}

const Section = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="sec">
    <h3>{title}</h3>
    {children}
  </section>
);

function Found({ reasons: { asked, because, given_up = [], since = [] } }: { reasons: Reasons }) {
  const list = (title: string, found: readonly string[]) =>
    found.length > 0 && (
      <Section title={title}>
        {found.map((text, at) => (
          <p key={at} class="quo">
            <PlainText text={text} />
          </p>
        ))}
      </Section>
    );
  return (
    <>
      {list("Asked", asked ? [asked.text] : [])}
      {list("Because", because ? [because.text] : [])}
      {list(
        "Dead ends on the way",
        given_up.map(({ what }) => what),
      )}
      {list(
        "Since then",
        since.map(({ what }) => what),
      )}
    </>
  );
}
