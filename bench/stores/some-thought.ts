import { createProse, createRandom } from "./prose.ts";

const prose = createProse(createRandom(2));
const thoughts = Array.from({ length: 1_000 }, () => prose(30));
let next = 0;

/** A sentence or two; made beforehand, because the clock runs when someone asks. */
export function someThought(): string {
  next = (next + 1) % thoughts.length;
  return thoughts[next] ?? "";
}
