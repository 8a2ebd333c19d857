import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cutShort, flipBit, scribbleSector, swapPages, zeroPage } from "../../support/disk/damage.ts";
import { gateSeed, reportSoak, times } from "../../support/run/soak.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { copyOf, look, makeStore } from "../../support/views/reader-view.ts";

/**
 * A reader sees the session in the list, its export, its structure, its last thoughts and one thought by
 * number. Damage counts as found if a read is refused with STORAGE_ERROR, `session.verify` does not find the
 * session valid, or `doctor` finds the file damaged.
 */
const rounds = times("damages", 16);
const timeout = 60_000 + rounds * 2_000;

type Damage = (path: string, random: () => number) => void;

/** Damages several places, because a single one is often never read. */
const several =
  (count: number, damage: Damage): Damage =>
  (path, random) => {
    for (let n = 0; n < count; n += 1) damage(path, random);
  };

const damages: [string, Damage][] = [
  ["flipped bits", several(5, flipBit)],
  ["a page of zeros", zeroPage],
  ["sectors of noise", several(3, scribbleSector)],
  ["two pages swapped", swapPages],
  ["a file cut short", cutShort],
];

describe("damage to the database file", () => {
  test.each(damages)(
    "%s: no change is shown as if it had been recorded",
    { timeout },
    async (what, damage) => {
      const seed = gateSeed;
      const random = seededRandom(seed);
      const { dataDir, sessions } = await makeStore();
      const before = await look(copyOf(dataDir), sessions);
      expect(before.problems).toEqual([]);
      expect(before.views.map(({ valid }) => valid)).toEqual([true, true, true]);
      const count = { unchanged: 0, found: 0 };
      for (let round = 0; round < rounds; round += 1) {
        const copy = copyOf(dataDir);
        damage(join(copy, "thoughtbox.db"), random);
        const { views, problems } = await look(copy, sessions);
        for (const [n, { seen, refused, valid }] of views.entries()) {
          if (seen === before.views[n]?.seen) {
            count.unchanged += 1;
            continue;
          }
          count.found += 1;
          const isFound = !valid || refused.includes("STORAGE_ERROR") || problems.length > 0;
          expect(isFound, `seed ${seed}, round ${round}: session ${n} is shown changed`).toBe(true);
          expect(refused).not.toContain("INTERNAL_ERROR");
        }
        rmSync(copy, { recursive: true });
      }
      expect(count.found, `seed ${seed}: no damage was ever seen`).toBeGreaterThan(0);
      reportSoak(
        `${what} in the database`,
        `${rounds} damaged copies, ${count.found} changed sessions, all detected, seed ${seed}`,
      );
    },
  );

  test("a changed letter is found in its thought, and the other sessions are unchanged", async () => {
    const { dataDir, sessions } = await makeStore();
    const before = await look(copyOf(dataDir), sessions);
    const file = join(dataDir, "thoughtbox.db");
    const bytes = readFileSync(file);
    const at = bytes.indexOf("two thinks 5");
    expect(at).toBeGreaterThan(0);
    bytes.write("TWO", at);
    writeFileSync(file, bytes);
    const { views } = await look(dataDir, sessions);
    expect(views.map(({ valid }) => valid)).toEqual([true, false, true]);
    expect(views[0]).toEqual(before.views[0]);
    expect(views[2]).toEqual(before.views[2]);
    expect(views[1]?.errors.join()).toContain("Thought 5");
  });

  test("thoughts that a damaged log has lost are found with the files of the tree", {
    timeout,
  }, async () => {
    const seed = gateSeed;
    const random = seededRandom(seed);
    const { dataDir, sessions } = await makeStore("kept");
    const before = await look(copyOf(dataDir), sessions);
    let found = 0;
    for (let round = 0; round < rounds; round += 1) {
      const copy = copyOf(dataDir);
      several(3, scribbleSector)(join(copy, "thoughtbox.db-wal"), random);
      const { views, problems } = await look(copy, sessions);
      for (const [n, { seen, refused, valid }] of views.entries()) {
        if (seen === before.views[n]?.seen) continue;
        found += 1;
        const isFound = !valid || refused.includes("STORAGE_ERROR") || problems.length > 0;
        expect(isFound, `seed ${seed}, round ${round}: session ${n} is shown changed`).toBe(true);
      }
    }
    expect(found, `seed ${seed}: no damage was ever seen`).toBeGreaterThan(0);
  });
});
