import type { ThoughtType } from "../../state/thought.ts";

/** Neighbouring lines with a reason, or without one. */
export type Stretch = { lines: number; type: ThoughtType | undefined };

/**
 * Shows how much of a text has a reason, in order, coloured by the kind of thought. The text next to the bar
 * gives the same figures.
 */
export function ShareBar({ stretches }: { stretches: readonly Stretch[] }) {
  const joined: Stretch[] = [];
  for (const stretch of stretches) {
    const before = joined.at(-1);
    if (before && before.type === stretch.type)
      joined[joined.length - 1] = { ...before, lines: before.lines + stretch.lines };
    else joined.push(stretch);
  }
  return (
    <span class="covb" aria-hidden="true">
      {joined.map(({ lines, type }, at) => (
        <i key={at} class={type && `k-${type}`} style={{ "--n": lines }} />
      ))}
    </span>
  );
}
