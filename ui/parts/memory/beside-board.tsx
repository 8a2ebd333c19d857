import type { ComponentChildren } from "preact";
import { weaveWords } from "../../model/diff.ts";
import { formatRoute, sessionRoute } from "../../route.ts";
import { memoryRoute } from "../../route-lists.ts";
import type { Conflict, Note, Rule, Workspace } from "../../state/memory.ts";
import { nameOf } from "../../state/pages/files.ts";
import { agentName } from "../../text/agent-names.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { SaveList } from "../basics/save-list.tsx";
import { ThoughtText } from "../thought/thought-text.tsx";
import { DiffRuns } from "../thought/word-diff.tsx";
import { DecisionLine } from "./decision-line.tsx";

const NOTES = 3;
const DECISIONS = 5;

type Props = {
  workspace: Workspace;
  chosen: string | undefined;
  onConflict: (id: string) => void;
  /** The address of the list of all notes. Absent if that list is shown beside this panel. */
  allNotes: string | undefined;
  /** Shown above everything else. */
  children?: ComponentChildren;
};

/** Shows conflicts on every branch, standing rules, the newest notes, and decisions, beside a board. */
export function BesideBoard({ workspace, chosen, onConflict, allNotes, children }: Props) {
  const { conflicts, conflictsTotal, branches, decisions, notes, notesTotal, rules, rulesTotal } = workspace;
  const shownRules = rules.slice(0, NOTES);
  return (
    <div class="rrs">
      {children}
      <aside
        class="rr"
        aria-label={allNotes === undefined ? "Conflicts and decisions" : "Conflicts, notes and decisions"}
        tabIndex={0}
      >
        <section>
          <h2 class="h">
            Conflicts <span class="num">{formatCount(conflictsTotal)}</span>
            <span class="r">all branches</span>
            {conflicts.length > 0 && (
              <SaveList name={`conflicts-${workspace.name}`} rows={() => conflicts.map(toConflictRow)} />
            )}
          </h2>
          {conflicts.length === 0 ? (
            <p class="dim none">
              No conflicts to resolve
              {branches.length > 0 && ` on ${countOf(branches.length, "branch", "branches")}`}.
            </p>
          ) : (
            conflicts.map((conflict) => (
              <ConflictCard
                key={conflict.conflict_id}
                conflict={conflict}
                isOn={conflict.conflict_id === chosen}
                onChoose={() => onConflict(conflict.conflict_id)}
              />
            ))
          )}
          {conflictsTotal > conflicts.length && (
            <p class="dim none">{formatCount(conflictsTotal - conflicts.length)} more</p>
          )}
        </section>
        {allNotes !== undefined && (
          <section>
            <h2 class="h">
              {rulesTotal > 0 ? "Notes and rules" : "Notes"}{" "}
              <span class="num">{formatCount(notesTotal + rulesTotal)}</span>
              <span class="r">
                <a class="lnk" href={allNotes}>
                  All notes
                </a>
              </span>
            </h2>
            {notes.length + rules.length === 0 && <p class="dim none">No notes yet.</p>}
            {shownRules.map((rule) => (
              <RuleLine key={rule.id} rule={rule} workspace={workspace.name} />
            ))}
            {notes.slice(0, NOTES - shownRules.length).map((note) => (
              <NoteLine key={note.seq} note={note} />
            ))}
          </section>
        )}
        {decisions.length > 0 && (
          <section>
            <h2 class="h">
              Decisions <span class="num">{formatCount(decisions.length)}</span>
            </h2>
            {decisions.slice(0, DECISIONS).map((decision) => (
              <DecisionLine key={decision.id} decision={decision} workspace={workspace.name} />
            ))}
            {decisions.length > DECISIONS && (
              <p class="dim none">{formatCount(decisions.length - DECISIONS)} more</p>
            )}
          </section>
        )}
      </aside>
    </div>
  );
}

const toConflictRow = ({ keepOurs: _, takeTheirs: __, base, ours, theirs, ...conflict }: Conflict) => ({
  ...conflict,
  base: base && JSON.stringify(base),
  ours: ours && JSON.stringify(ours),
  theirs: theirs && JSON.stringify(theirs),
});

function ConflictCard({
  conflict,
  isOn,
  onChoose,
}: {
  conflict: Conflict;
  isOn: boolean;
  onChoose: () => void;
}) {
  const { from, into, key, base, ours, theirs } = conflict;
  const names = [...new Set([...Object.keys(ours ?? {}), ...Object.keys(theirs ?? {})])];
  const field = ours && theirs ? (names.find((name) => ours[name] !== theirs[name]) ?? "title") : "title";
  const side = (of: Conflict["ours"]) => {
    if (!of) return <span class="dim">removed</span>;
    const [before, after] = [base?.[field], of[field] ?? ""];
    const runs = before === undefined || before === after ? undefined : weaveWords(before, after);
    return runs ? <DiffRuns runs={runs} /> : <PlainText text={after.slice(0, 200)} />;
  };
  return (
    <button type="button" class={isOn ? "cfl on" : "cfl"} aria-pressed={isOn} onClick={onChoose} data-row>
      <span class="h">
        <span class="ell">
          <PlainText text={`${from} → ${into}`} />
        </span>
        <span class="num">
          <PlainText text={key} />
        </span>
      </span>
      <span class="two">
        <span>ours</span>
        <span class="v">{side(ours)}</span>
        <span>theirs</span>
        <span class="v">{side(theirs)}</span>
      </span>
    </button>
  );
}

/** Shows where a note or rule comes from: a thought, or a branch other than the main one. */
function Source({ thought, branch }: { thought?: string | undefined; branch: string }) {
  const named = nameOf(thought ?? "");
  if (named)
    return (
      <>
        <span class="sep">·</span>
        <a
          class="lnk"
          href={formatRoute(
            sessionRoute(named.session, { thought: { branch: named.branch, number: named.number } }),
          )}
        >
          from thought {named.number}
        </a>
      </>
    );
  return branch === "main" ? null : (
    <>
      <span class="sep">·</span>
      <span class="ell">
        on <PlainText text={branch} />
      </span>
    </>
  );
}

/** Shows a pinned card: a rule that agents are reminded of. */
export function RuleLine({ rule, workspace }: { rule: Rule; workspace: string }) {
  const now = useNow();
  return (
    <div class="nte">
      <p>
        <a class="plain" href={formatRoute(memoryRoute({ workspace, item: rule.id, as: "cards" }))}>
          <PlainText text={rule.title} />
        </a>
      </p>
      <span class="meta">
        <Icon name="star" size={12} /> standing rule <span class="sep">·</span> {formatMoment(rule.at, now)}
        <Source thought={rule.thought} branch={rule.branch} />
      </span>
    </div>
  );
}

export function NoteLine({ note: { title, content, agent, at, branch, thought } }: { note: Note }) {
  const now = useNow();
  const [first, ...others] = content.split("\n");
  // Notes about cards begin with the title of the card.
  const text = first === title ? others.join("\n").trim() : content;
  return (
    <div class="nte">
      {title !== undefined && (
        <b>
          <PlainText text={title} />
        </b>
      )}
      {text !== "" && <ThoughtText text={text} />}
      <span class="meta">
        {agent !== undefined && (
          <>
            <PlainText text={agentName(agent)} />
            <span class="sep">·</span>
          </>
        )}
        {formatMoment(at, now)}
        <Source thought={thought} branch={branch} />
      </span>
    </div>
  );
}
