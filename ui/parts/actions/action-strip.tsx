import type { Action } from "../../model/pages/actions.ts";
import { createTimeScale } from "../../model/timescale.ts";
import type { Watching } from "../../state/watching.ts";
import { partsOf } from "./between.tsx";

/** Below this share of the width, a block would not be seen. */
const LEAST = 0.25;

const lookOf = ({ type, tests, failed }: Action): string =>
  type === "refusal" ? "w" : tests ? (failed ? "b" : "o") : type === "edit" ? "e" : "c";

/** The second row of the timeline: what was done, at the scale of the thoughts above it. */
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
  return (
    <div
      class="acts-row"
      role="img"
      aria-label={partsOf(all)
        .map(({ words }) => words)
        .join(", ")}
    >
      {all.map((action, at) => {
        const left = place(action.at);
        const width = Math.max(LEAST, place(action.at + action.took) - left);
        return <i key={at} class={`ab ${lookOf(action)}`} style={{ left: `${left}%`, width: `${width}%` }} />;
      })}
    </div>
  );
}
