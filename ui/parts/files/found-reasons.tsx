import type { ComponentChildren } from "preact";
import { withoutHeader } from "../../model/gist.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { nameOf, type Reasons } from "../../state/pages/files.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatMoment } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { useNow } from "../basics/clock.ts";
import { Icon, type IconName } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ThoughtText } from "../thought/thought-text.tsx";

export const Section = ({
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

/** How the server begins a refusal. The user's words follow. */
const REFUSED = "the user refused ";

/** Labels the reason for replaced lines. Without a label, it would look like an abandoned attempt. */
function replacedWords(what: string): string {
  const [, said, lines] = /^(“[\s\S]*”) \((\d+ lines?), replaced by this edit\)$/.exec(what) ?? [];
  if (said === undefined) return what;
  return lines === "1 line"
    ? `Replaced one line. Its reason was: ${said}`
    : `Replaced ${lines}. Their reason was: ${said}`;
}

/** Shows the request, the reason and its thought, abandoned attempts, and later changes. Omits empty parts. */
export function FoundReasons({ reasons }: { reasons: Reasons }) {
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
      <Quote title="Said earlier" text={context?.text} />
      <Quote title="Commit message" text={commit?.message} />
      {given_up.length > 0 && (
        <Section title="Given up along the way" count={given_up.length}>
          {given_up.map(({ what, at }, index) => (
            <Moment
              key={index}
              icon={what.startsWith(REFUSED) ? "refuse" : "edit"}
              isBad={what.startsWith(REFUSED)}
              what={
                what.startsWith(REFUSED) ? `You refused ${what.slice(REFUSED.length)}` : replacedWords(what)
              }
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
