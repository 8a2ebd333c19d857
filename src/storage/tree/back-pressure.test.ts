import { expect, test } from "vitest";
import { createBackPressure } from "./ledger-tree.ts";

/** Creates a tree that is `pending` entries behind. At each check, `writtenAtEachLook` more files are written. */
function createSlowTree(pending: number, writtenAtEachLook: number, stalled = false) {
  const tree = { pending, looks: 0, hastened: 0 };
  const throttle = createBackPressure({
    pending: () => tree.pending,
    isStalled: () => stalled,
    hasten: () => {
      tree.hastened += 1;
    },
    async refresh() {
      tree.looks += 1;
      tree.pending -= writtenAtEachLook;
    },
  });
  return { tree, throttle };
}

test("an append does not wait while the files are nearly up to date", async () => {
  const { tree, throttle } = createSlowTree(19_999, 0);
  await throttle();
  expect(tree).toEqual({ pending: 19_999, looks: 0, hastened: 0 });
});

test("an append waits until the files have nearly caught up, and speeds them up", async () => {
  const { tree, throttle } = createSlowTree(20_500, 200);
  await throttle();
  expect(tree.pending).toBeLessThan(20_000);
  expect(tree.hastened).toBeGreaterThan(0);
});

test("an append looks only once if the files turn out to be nearly up to date", async () => {
  const { tree, throttle } = createSlowTree(1_000_000, 999_000);
  await throttle();
  expect(tree).toEqual({ pending: 1_000, looks: 1, hastened: 0 });
});

test("files that cannot be written delay no append", async () => {
  const { tree, throttle } = createSlowTree(50_000, 0, true);
  await throttle();
  expect(tree.hastened).toBe(0);
});

test("an append does not wait indefinitely for slow files", async () => {
  const { tree, throttle } = createSlowTree(50_000, 0);
  await throttle();
  expect(tree.pending).toBe(50_000);
});
