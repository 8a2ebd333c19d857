import { NO_PROJECT } from "../../state/sessions.ts";
import type { Session } from "../../state/thought.ts";
import { PlainText } from "../basics/plain-text.tsx";

export type Facet = { kind: "project" | "tag" | "agent"; value: string };

const MOST_VALUES = 12;
const valuesOf: Readonly<Record<Facet["kind"], (session: Session) => readonly string[]>> = {
  project: ({ project }) => [project],
  tag: ({ tags }) => tags,
  agent: ({ story }) => story?.agents ?? [],
};
const titles = { project: "Projects", tag: "Tags", agent: "Agents" } as const;

export const matches = (session: Session, facet: Facet | undefined): boolean =>
  !facet || valuesOf[facet.kind](session).includes(facet.value);

type Props = {
  sessions: readonly Session[];
  chosen: Facet | undefined;
  onChoose: (facet: Facet | undefined) => void;
};

/** Projects, tags and agents of the sessions, most frequent first. */
export const Facets = ({ sessions, chosen, onChoose }: Props) => (
  <div class="slist" tabIndex={0} role="group" aria-label="Filter sessions">
    {(["project", "tag", "agent"] as const).map((kind) => (
      <FacetGroup key={kind} kind={kind} sessions={sessions} chosen={chosen} onChoose={onChoose} />
    ))}
  </div>
);

function FacetGroup({ kind, sessions, chosen, onChoose }: Props & { kind: Facet["kind"] }) {
  const counts = new Map<string, number>();
  for (const session of sessions)
    for (const value of new Set(valuesOf[kind](session))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const isOne = kind === "project" && counts.size === 1 && counts.has(NO_PROJECT);
  if (counts.size === 0 || isOne) return null;
  const values = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_VALUES);
  const row = (words: string, count: number, isOn: boolean, next: Facet | undefined) => (
    <button
      key={words}
      type="button"
      class={isOn ? "fc on" : "fc"}
      aria-pressed={isOn}
      onClick={() => onChoose(next)}
    >
      <PlainText text={words} />
      <span class="num">{count}</span>
    </button>
  );
  return (
    <>
      <h2 class="sgroup eyebrow">{titles[kind]}</h2>
      {kind === "project" && row("All projects", sessions.length, chosen === undefined, undefined)}
      {values.map(([value, count]) => {
        const isOn = chosen?.kind === kind && chosen.value === value;
        return row(value, count, isOn, isOn ? undefined : { kind, value });
      })}
    </>
  );
}
