import type { Workspace } from "../../state/memory.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { SaveList } from "../basics/save-list.tsx";
import { NoteLine, RuleLine } from "./beside-board.tsx";

/** Shows standing rules, the notes of every branch, and the documents. */
export function NotesView({ workspace }: { workspace: Workspace }) {
  const now = useNow();
  const { name, notes, notesTotal, rules, rulesTotal, docs } = workspace;
  return (
    <div class="notes-view">
      {rules.length > 0 && (
        <section id="rules">
          <h2 class="h">
            Standing rules <span class="num">{formatCount(rulesTotal)}</span>
          </h2>
          {rules.map((rule) => (
            <RuleLine key={rule.id} rule={rule} workspace={name} />
          ))}
          {rulesTotal > rules.length && <p class="dim">{formatCount(rulesTotal - rules.length)} more</p>}
        </section>
      )}
      <section id="notes">
        <div class="whole-head">
          <h2 class="h">
            Notes <span class="num">{formatCount(notesTotal)}</span>
          </h2>
          {notesTotal > notes.length && <span class="dim">the newest {formatCount(notes.length)}</span>}
          <span class="grow" />
          {notes.length > 0 && (
            <SaveList name={`notes-${name}`} rows={() => notes.map((note) => ({ ...note }))} />
          )}
        </div>
        {notes.length === 0 ? (
          <p class="dim">Notes appear when an agent calls notes_commit.</p>
        ) : (
          notes.map((note) => <NoteLine key={note.seq} note={note} />)
        )}
      </section>
      {docs.length > 0 && (
        <section id="documents">
          <h2 class="h">
            Documents <span class="num">{formatCount(docs.length)}</span>
          </h2>
          {docs.map((doc) => (
            <div key={`${doc.doc}${doc.form}`} class="doc-line">
              <span class="mono">
                <PlainText text={doc.doc} />
              </span>
              <span class="dim">{doc.form === "graph" ? "graph" : "log"}</span>
              <span class="num">{doc.last_ts_ms === undefined ? "" : formatMoment(doc.last_ts_ms, now)}</span>
            </div>
          ))}
        </section>
      )}
    </div>
  );
}
