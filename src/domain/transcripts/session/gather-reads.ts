import { actionLimits } from "../../actions/action.ts";
import type { KeptAction } from "../../actions/kept-action.ts";
import type { Strand } from "./strands.ts";

type Reading = Extract<KeptAction, { type: "read" }>;

/**
 * Joins neighbouring reads into one action. The action is complete only when another entry follows, so reading a
 * transcript in pieces gives the same actions as reading it at once.
 */
export function createReads(keep: (reading: Reading) => void) {
  const open = new Map<Strand, { reading: Reading; paths: Set<string> }>();
  function close(strand: Strand): void {
    const found = open.get(strand);
    if (!found) return;
    open.delete(strand);
    keep({ ...found.reading, paths: [...found.paths] });
  }
  return {
    /** Adds a read. `took` becomes the time from the first call to this result. */
    add(strand: Strand, reading: Reading, endedAt: string | undefined): void {
      const known = open.get(strand);
      if (known && known.paths.size + reading.paths.length > actionLimits.paths) close(strand);
      const { reading: first, paths } = open.get(strand) ?? { reading, paths: new Set<string>() };
      for (const path of reading.paths) paths.add(path);
      const took = tookFrom(first.at, endedAt) ?? first.took;
      open.set(strand, { reading: { ...first, ...(took !== undefined && { took }) }, paths });
    },
    close,
  };
}

/** Returns the milliseconds from a call to its result. */
export function tookFrom(at: string | undefined, endedAt: string | undefined): number | undefined {
  const took = Date.parse(endedAt ?? "") - Date.parse(at ?? "");
  return took >= 0 && took <= actionLimits.took ? took : undefined;
}
