import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { withoutHeader } from "../../model/gist.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { memoryRoute } from "../../route-lists.ts";
import { nameOf, type Pinned, type Reasons, readReasons } from "../../state/pages/files.ts";
import type { FileBlock } from "../../state/pages/open-file.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatAge, formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { useCommand, useObservatory } from "../basics/context.ts";
import { Icon, type IconName } from "../basics/icon.tsx";
import { Keys } from "../basics/key-line.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { DecisionState } from "../memory/decision-line.tsx";
import { ThoughtText } from "../thought/thought-text.tsx";

type Props = { path: string; block: FileBlock; line: number | undefined; close: string };

/** Why the selected lines exist: the request, the reason, the abandoned attempts, and later changes. */
export function ReasonPanel({ path, block, line, close }: Props) {
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
    void readReasons(get, { file: path, line: from, to }, abort.signal).then((fetched) => {
      if (abort.signal.aborted) return;
      setPinned("answer" in fetched ? (fetched.answer.pinned ?? []) : []);
      setReasons(
        "answer" in fetched ? (fetched.answer.answers[0] ?? fetched.answer.note) : fetched.failed.message,
      );
    });
    return () => abort.abort();
  }, [get, path, from, to, isKnown]);
  const found = typeof reasons === "object" ? reasons : undefined;
  const facts = [
    writer ? `wrote it: ${writer.how} · ${formatMoment(Date.parse(writer.at), now)}` : "no reason recorded",
    commit ? `commit ${commit.sha.slice(0, 7)}` : "not committed yet",
  ];
  return (
    <aside class="detail" aria-label="Reasons">
      <div class="dh">
        {writer && found && <Chip type={found.because?.type ?? "N"} size="l" />}
        <div class="who">
          <h2>
            {from === to ? `Line ${from}` : `Lines ${from}–${to}`}
            {line !== undefined && from !== to && <span class="num"> line {line}</span>}
          </h2>
          <span class="eyebrow">{isKnown ? facts.join(" · ") : "asking git …"}</span>
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
        {found && <Found reasons={found} />}
        {isKnown && !writer && commit && (
          <Section title="Commit">
            <p>
              <PlainText text={commit.subject} />
            </p>
            <p class="meta">
              <PlainText text={commit.author} /> <span class="sep">·</span>{" "}
              {formatAge(Date.parse(commit.at), now)}
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

const Section = ({
  title,
  count,
  children,
}: {
  title: string;
  count?: number;
  children: ComponentChildren;
}) => (
  <section class="sec">
    <h3>
      {title}
      {count !== undefined && count > 1 && <span class="num">{count}</span>}
    </h3>
    {children}
  </section>
);

/** As the server writes it. The words of a refusal follow. */
const REFUSED = "the user refused ";

function Found({ reasons }: { reasons: Reasons }) {
  const { by, asked, proposal, earlier, because, context, commit, given_up = [], since = [] } = reasons;
  const now = useNow();
  const thought = because?.thought ?? by?.thought;
  return (
    <>
      {asked && (
        <Section title="Asked">
          <p class="quo">
            <PlainText text={withoutHeader(asked.text)} />
          </p>
          <p class="meta">
            You
            {asked.at !== undefined && (
              <>
                <span class="sep">·</span>
                {formatMoment(Date.parse(asked.at), now)}
              </>
            )}
          </p>
        </Section>
      )}
      <Quote title="Agreed to" text={proposal?.text} />
      <Quote title="Asked earlier" text={earlier?.text} />
      {(because || thought !== undefined) && (
        <Section title={because ? "Because" : "Written after"}>
          {because && (
            <div class="qt">
              <ThoughtText text={withoutHeader(because.text)} />
            </div>
          )}
          {thought !== undefined && by && (
            <ThoughtLine thought={thought} type={because?.type ?? "N"} by={by} />
          )}
        </Section>
      )}
      <Quote title="Said before" text={context?.text} />
      <Quote title="Commit message" text={commit?.message} />
      {given_up.length > 0 && (
        <Section title="Given up on the way" count={given_up.length}>
          {given_up.map(({ what, at }, index) => (
            <Moment
              key={index}
              icon={what.startsWith(REFUSED) ? "refuse" : "revise"}
              isBad={what.startsWith(REFUSED)}
              what={what.startsWith(REFUSED) ? `You refused ${what.slice(REFUSED.length)}` : what}
              at={at}
            />
          ))}
        </Section>
      )}
      {since.length > 0 && (
        <Section title="Since then" count={since.length}>
          {since.map(({ what, at, sessionId }, index) => (
            <Moment key={index} icon="edit" what={what} at={at} session={sessionId} />
          ))}
        </Section>
      )}
    </>
  );
}

function Quote({ title, text }: { title: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <Section title={title}>
      <p class="quo">
        <PlainText text={withoutHeader(text)} />
      </p>
    </Section>
  );
}

type ThoughtLineProps = {
  thought: string;
  type: NonNullable<NonNullable<Reasons["because"]>["type"]>;
  by: NonNullable<Reasons["by"]>;
};

function ThoughtLine({ thought, type, by }: ThoughtLineProps) {
  const named = nameOf(thought);
  if (!named) return null;
  return (
    <a
      class="thl"
      href={formatRoute(
        sessionRoute(named.session, { thought: { branch: named.branch, number: named.number } }),
      )}
    >
      <Chip type={type} />
      <span class="num">{named.number}</span>
      <span class="ell">
        <PlainText text={by.title ?? named.session} />
      </span>
      <span class="dim">
        <PlainText text={agentName(by.agent)} />
      </span>
    </a>
  );
}

type MomentProps = {
  icon: IconName;
  what: string;
  at: string;
  isBad?: boolean;
  session?: string | undefined;
};

function Moment({ icon, what, at, isBad = false, session }: MomentProps) {
  const now = useNow();
  const words = what.charAt(0).toUpperCase() + what.slice(1);
  return (
    <div class={isBad ? "gu bad" : "gu"}>
      <Icon name={icon} />
      <span>
        <PlainText text={words} />
      </span>
      <span class="meta">
        {session === undefined || session === "" ? null : (
          <>
            <a class="lnk" href={formatRoute(sessionRoute(session))}>
              session
            </a>
            <span class="sep">·</span>
          </>
        )}
        {formatMoment(Date.parse(at), now)}
      </span>
    </div>
  );
}
