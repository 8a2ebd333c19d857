import { count } from "../../kernel/numbers.ts";
import type { MemoryInspection } from "../../ports/memory/memory-upkeep.ts";
import { describeMemory } from "../rendering/words.ts";
import { type Check, good } from "./check.ts";

const name = "memory";

/** A restore writes the memory again by the rules, so it puts right whatever broke them. */
const makeAgain =
  "Keep a backup. Then thoughtbox dump all.jsonl, and thoughtbox restore all.jsonl with THOUGHTBOX_DATA_DIR set to a new directory: that makes the memory again.";

export function checkMemory(inspection: MemoryInspection): Check {
  const { workspaces, problems, lackingWords, unfinished } = inspection;
  const [first, ...others] = problems;
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${count(others.length, "more finding")}` : "";
    return { name, state: "bad", says: `${first}${more}`, next: makeAgain };
  }
  if (lackingWords > 0)
    return {
      name,
      state: "bad",
      says: `${count(lackingWords, "node")} cannot be found by words`,
      next: "thoughtbox doctor --reindex",
    };
  if (unfinished.length > 0)
    return {
      name,
      state: "look",
      says: `a restore of ${unfinished.join(", ")} was interrupted`,
      next: "Nobody sees what came of it. Run thoughtbox restore again: it begins from the start.",
    };
  if (workspaces === 0) return { name, state: "none", says: "no workspace yet" };
  return good(name, `${describeMemory(inspection)}; all fits together`);
}
