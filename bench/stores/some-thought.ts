import { createProse, createRandom } from "./prose.ts";

const prose = createProse(createRandom(2));
const thoughts = Array.from({ length: 1_000 }, () => prose(30));
let next = 0;

/** Returns a sentence or two. The texts are generated in advance, because the call is timed. */
export function someThought(): string {
  next = (next + 1) % thoughts.length;
  return thoughts[next] ?? "";
}
