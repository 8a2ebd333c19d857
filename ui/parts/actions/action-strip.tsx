import { NONE } from "../../model/columns.ts";
import { type Action, gapAfter } from "../../model/pages/actions.ts";
import { createTimeScale } from "../../model/timescale.ts";
import type { Watching } from "../../state/watching.ts";
import { Icon, type IconName } from "../basics/icon.tsx";
import { partsOf } from "./between.tsx";

/** A block narrower than this percentage of the width would be invisible. */
const LEAST = 0.25;

const lookOf = ({ type, tests, failed }: Action): string =>
  type === "refusal" ? "w" : tests ? (failed ? "b" : "o") : type === "edit" ? "e" : "c";

type Block = { look: string; left: number; width: number };
/** If there are more actions than this, actions that look alike at the same position share a block. */
const MOST_BLOCKS = 800;

/** Returns one block per action or, if there are too many actions, one per look and visible position. */
function blocksOf(all: readonly Action[], place: (at: number) => number): Block[] {
  const blocks = all.map((action): Block => {
    const left = place(action.at);
    return { look: lookOf(action), left, width: Math.max(LEAST, place(action.at + action.took) - left) };
  });
  if (blocks.length <= MOST_BLOCKS) return blocks;
  const merged = new Map<string, Block>();
  for (const block of blocks) {
    const key = `${block.look} ${Math.floor(block.left / LEAST)}`;
    const known = merged.get(key);
    if (!known || known.width < block.width) merged.set(key, block);
  }
  return [...merged.values()];
}

type Sign = { icon: IconName; look: string; left: number };
/** Two icons closer than this percentage of the width would overlap. */
const APART = 1.5;

/** Returns icons for refusals, tests and commits. Leaves out icons that would overlap. */
function signsOf(all: readonly Action[], place: (action: Action) => number): Sign[] {
  const signs: Sign[] = [];
  for (const action of all) {
    const icon = action.type === "refusal" ? "refuse" : action.tests ? "test" : action.commit && "commit";
    const left = place(action);
    if (!icon || left - (signs.at(-1)?.left ?? Number.NEGATIVE_INFINITY) < APART) continue;
    signs.push({ icon, look: lookOf(action), left });
  }
  return signs;
}

/** Shows the second row of the timeline: actions, on the same scale as the thoughts above. */
export function ActionStrip({ watching }: { watching: Watching }) {
  const { all } = watching.session.done.value;
  if (all.length === 0) return null;
  const { columns } = watching.picture.value;
  const scale = createTimeScale(columns);
  const place = (at: number): number => {
    let low = 0;
    let high = columns.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((columns.time[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    const before = Math.max(0, low - 1);
    const from = scale.position[before] ?? 0;
    const to = low < columns.size ? (scale.position[low] ?? from) : scale.end;
    const [began, ended] = [columns.time[before] ?? at, columns.time[low] ?? at];
    const share = ended > began ? Math.min(1, Math.max(0, (at - began) / (ended - began))) : 0;
    return (100 * (from + share * (to - from))) / scale.end;
  };
  const shade = shaded(watching);
  return (
    <>
      {shade && (
        <div class="shades" aria-hidden="true">
          <i style={{ left: `${place(shade.from)}%`, width: `${place(shade.to) - place(shade.from)}%` }} />
        </div>
      )}
      <div
        class={columns.chains.length > 1 ? "acts-row low" : "acts-row"}
        role="img"
        aria-label={partsOf(all)
          .map(({ words }) => words)
          .join(", ")}
      >
        {blocksOf(all, place).map(({ look, left, width }, at) => (
          <i key={at} class={`ab ${look}`} style={{ left: `${left}%`, width: `${width}%` }} />
        ))}
        {signsOf(all, (action) => place(action.at + action.took / 2)).map(({ icon, look, left }) => (
          <span key={left} class={`asign ${look}`} style={{ left: `${left}%` }}>
            <Icon name={icon} size={12} />
          </span>
        ))}
      </div>
    </>
  );
}

/** Returns the time between the selected thought and its neighbours, if the agent did something there. */
function shaded(watching: Watching): { from: number; to: number } | undefined {
  const selected = watching.selected.value;
  if (selected === NONE) return undefined;
  const { columns } = watching.picture.value;
  const { after } = watching.session.done.value;
  const before = columns.parent[selected] ?? NONE;
  const led = before === NONE ? undefined : after.get(before);
  const next = after.get(selected);
  const here = columns.time[selected] ?? 0;
  if (!led && !next) return undefined;
  return {
    from: led ? (columns.time[before] ?? here) : here,
    to: next ? gapAfter(columns, selected, next).to : here,
  };
}
