import { STATE } from "../../model/beliefs.ts";
import { type Columns, MAIN, MARKS, NONE } from "../../model/columns.ts";
import { gist } from "../../model/gist.ts";
import type { OutlineRow } from "../../model/outline.ts";
import { TYPE_NAMES, typeLetter } from "../../model/thought-types.ts";
import type { Watching } from "../../state/watching.ts";
import { countOf } from "../../text/count-words.ts";
import { formatClock } from "../../text/time-words.ts";
import { Chip } from "../basics/chip.tsx";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

const MOST_RAILS = 12;
const railAt = (depth: number) => 18 + Math.min(depth, MOST_RAILS) * 16;

/** Shows one vertical line per level: thick for the main line, thin for branches. */
const Rails = ({ count }: { count: number }) => (
  <>
    {Array.from({ length: Math.min(count, MOST_RAILS + 1) }, (_, depth) => (
      <i key={depth} class={depth === 0 ? "rl m" : "rl"} style={{ left: `${railAt(depth)}px` }} />
    ))}
  </>
);

const levels = ({ level, position, setSize }: OutlineRow) => ({
  "aria-level": level,
  "aria-posinset": position,
  "aria-setsize": setSize,
});

/** Shows a thought's number, preceded by the name of its branch if that is a different branch. */
function Reference({ columns, from, to }: { columns: Columns; from: number; to: number }) {
  const line = columns.chain[to] ?? MAIN;
  return (
    <>
      {line !== columns.chain[from] && (
        <>
          <PlainText text={line === MAIN ? "main" : (columns.chains[line]?.id ?? "")} />{" "}
        </>
      )}
      {columns.number[to]}
    </>
  );
}

type ThoughtRow = Extract<OutlineRow, { kind: "thought" }>;
type Props = {
  row: ThoughtRow;
  index: number;
  watching: Watching;
  isSelected: boolean;
  onOpen: () => void;
};

export function ThoughtLine({ row, index, watching, isSelected, onOpen }: Props) {
  const { columns, beliefs, moment } = watching.picture.value;
  const { thought, depth, isLast } = row;
  const letter = typeLetter(columns.type[thought] ?? 0);
  const state = beliefs.state[thought] ?? STATE.believed;
  const by = columns.revisedBy[thought] ?? NONE;
  const isReplaced = by !== NONE && by <= moment;
  const marks = columns.marks[thought] ?? 0;
  const isYours = (marks & MARKS.asked) !== 0;
  const hits = watching.hits.value;
  const isOut = hits !== undefined && hits.length > 0 && !hits.includes(thought);
  const look =
    state === STATE.replaced || state === STATE.rejected
      ? " gone"
      : state === STATE.deadEnd
        ? " dead"
        : letter === "C"
          ? " C"
          : "";
  const ends = isLast && row.depth > 0 && columns.forksOf(thought).length === 0;
  return (
    <div
      id={`row-${index}`}
      data-row={index}
      data-thought={thought}
      class={`or${look}${isSelected ? " sel" : ""}${isOut ? " out" : ""}${marks & MARKS.unseen ? " unseen" : ""}`}
      role="treeitem"
      {...levels(row)}
      aria-selected={isSelected}
      style={{ paddingLeft: `${railAt(depth) + 12}px` }}
      onClick={onOpen}
    >
      <Rails count={ends ? depth : depth + 1} />
      {ends && <i class="rl end" style={{ left: `${railAt(depth)}px` }} />}
      <Chip type={letter} hollow={state !== STATE.believed} isYours={isYours} />
      <span class="off-screen">{isYours ? "You" : TYPE_NAMES[letter]} </span>
      <span class="num">{columns.number[thought]}</span>
      <p>
        <PlainText
          text={gist(columns.text[thought] ?? "…")}
          mark={watching.hits.value ? watching.query.value : undefined}
        />
      </p>
      <span class="tm">
        {isReplaced && (
          <span>
            <span class="off-screen">replaced by </span>→{" "}
            <Reference columns={columns} from={thought} to={by} />
          </span>
        )}
        {(columns.revises[thought] ?? NONE) >= 0 && (
          <span>
            ↻ <Reference columns={columns} from={thought} to={columns.revises[thought] ?? 0} />
          </span>
        )}
        {(marks & MARKS.starred) !== 0 && (
          <span class="star" title="starred">
            ★
          </span>
        )}
        {(marks & MARKS.commented) !== 0 && <span title="commented">✎</span>}
        {(marks & MARKS.critique) !== 0 && <span title="critique">❝</span>}
        <span class="clock">{formatClock(columns.time[thought] ?? 0)}</span>
      </span>
    </div>
  );
}

type BranchProps = {
  row: Extract<OutlineRow, { kind: "branch" }>;
  index: number;
  watching: Watching;
  onToggle: (id: string) => void;
};

export function BranchLine({ row, index, watching, onToggle }: BranchProps) {
  const { columns, beliefs, moment } = watching.picture.value;
  const chain = columns.chains[row.chain];
  if (!chain) return null;
  const thoughts = chain.thoughts.filter((i) => i <= moment).length;
  const fate = beliefs.deadChain[row.chain] === 1 ? " · dead end" : "";
  return (
    <div
      id={`row-${index}`}
      data-row={index}
      class="ob"
      role="treeitem"
      {...levels(row)}
      aria-expanded={row.isOpen}
      aria-selected={false}
      style={{ paddingLeft: `${railAt(row.depth) + 10}px` }}
      onClick={() => onToggle(chain.id)}
    >
      <Rails count={row.depth} />
      <i class="rc" style={{ left: `${railAt(row.depth - 1)}px` }} />
      {row.isOpen && <i class="rl begin" style={{ left: `${railAt(row.depth)}px` }} />}
      <Icon name={row.isOpen ? "down" : "right"} size={12} />
      <span class="off-screen">Branch </span>
      <PlainText text={chain.id} />
      <span class="dim">
        {countOf(thoughts, "thought")}
        {fate}
      </span>
    </div>
  );
}
