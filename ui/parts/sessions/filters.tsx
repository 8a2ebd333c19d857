import { useState } from "preact/hooks";
import type { SessionsRoute } from "../../route-lists.ts";
import { LIVENESS, type Liveness } from "../../state/liveness.ts";
import { countValues, FACETS, type Facet } from "../../state/pages/listing.ts";
import { NO_PROJECT, projectWords } from "../../state/sessions.ts";
import type { Session } from "../../state/thought.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatDayWords } from "../../text/time-words.ts";
import { useCommand } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { LivenessMark } from "../frame/badge.tsx";

const titles: Readonly<Record<Facet, string>> = {
  state: "State",
  project: "Project",
  agent: "Agent",
  model: "Model",
  tag: "Tag",
};
const MOST_VALUES = 12;

export const wordsOf = (facet: Facet, value: string): string =>
  facet === "agent"
    ? agentName(value)
    : facet === "state"
      ? `${value.charAt(0).toUpperCase()}${value.slice(1)}`
      : facet === "project"
        ? projectWords(value)
        : value;

export const isState = (value: string): value is Liveness => LIVENESS.some((state) => state === value);

type Props = {
  /** The sessions to count. Undefined while the sessions are being counted. */
  sessions: readonly Session[] | undefined;
  /** All sessions. The values in these sessions are the choices. */
  all: readonly Session[];
  route: SessionsRoute;
  now: number;
  onChange: (route: SessionsRoute) => void;
};

/** Shows the filters for sessions. The number next to a choice shows how many sessions it would leave. */
export const Filters = (props: Props) => (
  <div class="slist" tabIndex={0} role="group" aria-label="Filter sessions">
    {FACETS.map((facet) => (
      <FacetGroup key={facet} facet={facet} {...props} />
    ))}
    <Days {...props} />
  </div>
);

function FacetGroup({ facet, sessions, all: everySession, route, now, onChange }: Props & { facet: Facet }) {
  const [isWhole, setWhole] = useState(false);
  const found = countValues(sessions ?? everySession, facet, route, now, everySession);
  const all: [string, number][] =
    facet === "state"
      ? LIVENESS.map((state) => [state, found.find(([value]) => value === state)?.[1] ?? 0])
      : found;
  const isCut = all.length > MOST_VALUES && !isWhole;
  // A short list starts with the values that are chosen or would leave at least one session.
  const rank = ([value, count]: [string, number]) => Number(count === 0 && !route[facet].includes(value));
  const shown = isCut ? all.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_VALUES) : all;
  const isOne = facet === "project" && all.length === 1 && all[0]?.[0] === NO_PROJECT;
  if (all.length === 0 || isOne) return null;
  const toggle = (value: string) => {
    const chosen = route[facet];
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    onChange({ ...route, [facet]: next });
  };
  return (
    <>
      <h2 class="sgroup eyebrow">{titles[facet]}</h2>
      {shown.map(([value, count]) => (
        <button
          key={value}
          type="button"
          class={route[facet].includes(value) ? "fc on" : "fc"}
          aria-pressed={route[facet].includes(value)}
          onClick={() => toggle(value)}
        >
          <span class="fl">
            {facet === "state" && isState(value) && <LivenessMark state={value} />}
            <PlainText text={wordsOf(facet, value)} />
          </span>
          <span class="num">{sessions ? formatCount(count) : "–"}</span>
        </button>
      ))}
      {isCut && (
        <button type="button" class="fc dim" onClick={() => setWhole(true)}>
          All {formatCount(all.length)} {facet}s
        </button>
      )}
    </>
  );
}

const Days = ({ route, onChange }: Props) => (
  <>
    <h2 class="sgroup eyebrow">Last thought</h2>
    {(["from", "to"] as const).map((end) => (
      <label key={end} class="fc day-field">
        {end === "from" ? "From" : "To"}
        <input
          type="date"
          value={route[end] ?? ""}
          onChange={(event) => onChange({ ...route, [end]: event.currentTarget.value || undefined })}
        />
      </label>
    ))}
  </>
);

/** Shows the active filters, each with a button to remove it. */
export function Tokens({ route, now, onChange }: Pick<Props, "route" | "now" | "onChange">) {
  const tokens: { name: string; words: string; drop: SessionsRoute }[] = FACETS.flatMap((facet) =>
    route[facet].map((value) => ({
      name: facet,
      words: wordsOf(facet, value),
      drop: { ...route, [facet]: route[facet].filter((one) => one !== value) },
    })),
  );
  const day = (text: string) => formatDayWords(new Date(`${text}T00:00:00`).getTime(), now);
  if (route.from) tokens.push({ name: "since", words: day(route.from), drop: { ...route, from: undefined } });
  if (route.to) tokens.push({ name: "until", words: day(route.to), drop: { ...route, to: undefined } });
  const run = useCommand();
  if (tokens.length === 0) return null;
  return (
    <div class="toks">
      {tokens.map(({ name, words, drop }) => (
        <button
          key={`${name}${words}`}
          type="button"
          class="tok"
          onClick={() => onChange(drop)}
          onKeyDown={(event) => {
            if (event.key !== "Backspace" && event.key !== "Delete") return;
            event.preventDefault();
            event.stopPropagation();
            onChange(drop);
          }}
        >
          <span class="off-screen">Drop </span>
          <i>{name}</i> <PlainText text={words} />
          <Icon name="close" />
        </button>
      ))}
      <button type="button" class="add-filter" onClick={() => run("filter")}>
        <Icon name="plus" size={12} />
        Filter
      </button>
    </div>
  );
}
