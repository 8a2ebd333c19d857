import { weaveWords } from "../../model/diff.ts";
import type { Conflict } from "../../state/memory.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { DiffRuns } from "../thought/word-diff.tsx";

/** Fields that are hidden if unchanged, because the table's header names the card. */
const QUIET_FIELDS = ["deleted", "id", "type"];

const FIRST_FIELDS = ["title", "text", "status"];
const rankOf = (field: string): number => {
  const at = FIRST_FIELDS.indexOf(field);
  return at < 0 ? FIRST_FIELDS.length : at;
};

/** Shows a conflict field by field: the base value, ours and theirs. */
export const ConflictTable = ({ conflict, title }: { conflict: Conflict; title: string }) => {
  const now = useNow();
  const { base, ours, theirs, from, into, key, kind } = conflict;
  const fields = [...new Set([base, ours, theirs].flatMap((side) => Object.keys(side ?? {})))].sort(
    (a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1),
  );
  const changed = fields.filter(
    (field) => base?.[field] !== ours?.[field] || base?.[field] !== theirs?.[field],
  );
  const same = fields.filter((field) => !changed.includes(field) && !QUIET_FIELDS.includes(field));
  return (
    <div class="cf3">
      <div class="bh">
        <h2>
          <PlainText text={title} />
        </h2>
        <span class="mono dim">
          <PlainText text={`${from} → ${into}`} />
        </span>
        <span class="dim end">
          {title === key ? "" : `${key} · `}
          {kind === "node" ? "" : "edge · "}since {formatMoment(conflict.created_at_ms, now)}
        </span>
      </div>
      <div class="cft" tabIndex={0} role="group" aria-label="Base, ours and theirs">
        <table>
          <thead>
            <tr>
              <td />
              <th scope="col">
                Base<span>when the branch forked</span>
              </th>
              <th scope="col">
                Ours
                <span>
                  <PlainText text={into} />
                </span>
              </th>
              <th scope="col">
                Theirs
                <span>
                  <PlainText text={from} />
                </span>
              </th>
            </tr>
          </thead>
          <tbody>
            {[...changed, ...same].map((field) => (
              <tr key={field} class={same.includes(field) ? "same" : ""}>
                <th scope="row">{field}</th>
                <td data-side="Base">
                  <div>
                    <Value text={base?.[field]} />
                  </div>
                </td>
                <td data-side="Ours">
                  <div>
                    <Changed before={base?.[field]} after={ours?.[field]} />
                  </div>
                </td>
                <td data-side="Theirs">
                  <div>
                    <Changed before={base?.[field]} after={theirs?.[field]} />
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="res">
        <span class="dim">You cannot resolve conflicts here. Your agent can, with one call:</span>
        <CopyButton
          text={() => JSON.stringify(conflict.keepOurs)}
          label="Keep ours: copy the call"
          words="Keep ours"
        />
        <CopyButton
          text={() => JSON.stringify(conflict.takeTheirs)}
          label="Take theirs: copy the call"
          words="Take theirs"
        />
      </div>
    </div>
  );
};

const Value = ({ text }: { text: string | undefined }) =>
  text === undefined ? <span class="dim">–</span> : <PlainText text={text.slice(0, 2_000)} />;

const Changed = ({ before, after }: { before: string | undefined; after: string | undefined }) => {
  if (after === undefined || before === after) return <Value text={after} />;
  const runs = before === undefined ? undefined : weaveWords(before, after);
  return runs ? (
    <DiffRuns runs={runs} />
  ) : (
    <ins>
      <Value text={after} />
    </ins>
  );
};
