import { createHash } from "node:crypto";
import { median } from "./statistics.ts";

const passes = 9;
const records = Array.from({ length: 2_000 }, (_, n) => ({
  n,
  text: `record ${n} `.repeat(8),
  tags: ["a", "b"],
}));

/**
 * Times a fixed amount of processor work in milliseconds: text, objects and a digest, as in a call. On a shared machine
 * the same program can take twice as long an hour later. The result shows how fast the machine is now.
 */
export function takeYardstick(): number {
  return median(
    Array.from({ length: passes }, () => {
      const began = performance.now();
      const text = JSON.stringify(records);
      const parsed = JSON.parse(text) as typeof records;
      parsed.sort((one, other) => other.text.localeCompare(one.text));
      createHash("sha256").update(JSON.stringify(parsed)).digest();
      return performance.now() - began;
    }),
  );
}
