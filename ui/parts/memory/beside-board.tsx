import { diffWords } from "../../model/diff.ts";
import type { Conflict, Note, Workspace } from "../../state/memory.ts";
import { agentName } from "../../text/agent-names.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { DiffRuns } from "../thought/word-diff.tsx";
import { DecisionLine } from "./decision-line.tsx";

const NOTES = 3;
const DECISIONS = 5;

type Props = {
  workspace: Workspace;
  chosen: string | undefined;
  onConflict: (id: string) => void;
  allNotes: string;
};

/** The panel beside a board: conflicts on every branch, and the newest notes. */
export function BesideBoard({ workspace, chosen, onConflict, allNotes }: Props) {
  const { conflicts, conflictsTotal, branches, decisions, notes } = workspace;
  return (
    <aside class="rr" aria-label="Conflicts, decisions and notes" tabIndex={0}>
      <section>
        <h2 class="h">
          Conflicts <span class="num">{formatCount(conflictsTotal)}</span>
          <span class="r">all branches</span>
        </h2>
        {conflicts.length === 0 ? (
          <p class="dim none">No merge conflicts on {countOf(branches.length, "branch", "branches")}.</p>
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
      <section>
        <h2 class="h">
          Notes <span class="num">{formatCount(notes.length)}</span>
          <span class="r">
            <a class="lnk" href={allNotes}>
              All notes
            </a>
          </span>
        </h2>
        {notes.length === 0 && <p class="dim none">No notes yet.</p>}
        {notes.slice(0, NOTES).map((note) => (
          <NoteLine key={note.seq} note={note} />
        ))}
      </section>
    </aside>
  );
}

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
    const runs = before === undefined || before === after ? undefined : diffWords(before, after)?.after;
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

export function NoteLine({ note: { title, content, agent, at } }: { note: Note }) {
  const now = useNow();
  return (
    <div class="nte">
      {title !== undefined && (
        <b>
          <PlainText text={title} />
        </b>
      )}
      <p>
        <PlainText text={content} />
      </p>
      <span class="meta">
        {agent !== undefined && (
          <>
            <PlainText text={agentName(agent)} />
            <span class="sep">·</span>
          </>
        )}
        {formatMoment(at, now)}
      </span>
    </div>
  );
}
