import type { Workspace } from "../../state/memory.ts";
import { countOf } from "../../text/count-words.ts";
import { formatMoment } from "../../text/time-words.ts";
import { Notice } from "../basics/banner.tsx";
import { useNow } from "../basics/clock.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { SaveList } from "../basics/save-list.tsx";
import { NoteLine } from "./beside-board.tsx";

/** All notes on the branch that is checked out, and its documents. */
export function NotesView({ workspace: { name, notes, docs, hasMoreNotes } }: { workspace: Workspace }) {
  const now = useNow();
  return (
    <div class="notes-view">
      <div class="whole-head">
        <h2 class="h">{countOf(notes.length, "note")}</h2>
        {hasMoreNotes && <span class="dim">the newest ones</span>}
        <span class="grow" />
        {notes.length > 0 && (
          <SaveList name={`notes-${name}`} rows={() => notes.map((note) => ({ ...note }))} />
        )}
      </div>
      {notes.length === 0 ? (
        <Notice title="No notes yet">Notes appear when an agent calls notes_commit.</Notice>
      ) : (
        notes.map((note) => <NoteLine key={note.seq} note={note} />)
      )}
      {docs.length > 0 && <h2 class="h docs-head">Documents</h2>}
      {docs.map((doc) => (
        <div key={`${doc.doc}${doc.form}`} class="doc-line">
          <span class="mono">
            <PlainText text={doc.doc} />
          </span>
          <span class="dim">{doc.form === "graph" ? "graph" : "log"}</span>
          <span class="num">{doc.last_ts_ms === undefined ? "" : formatMoment(doc.last_ts_ms, now)}</span>
        </div>
      ))}
    </div>
  );
}
