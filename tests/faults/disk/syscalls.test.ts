import { describe, expect, test } from "vitest";
import { noCompiler } from "../../support/disk/compile-c.ts";
import {
  appendAndFollow,
  numbersOf,
  type Order,
  pick,
  placesFor,
  sampled,
  survey,
  visitAll,
} from "../../support/disk/fault-visits.ts";
import { reportSoak } from "../../support/run/soak.ts";

if (noCompiler) process.stderr.write(`skipped: ${noCompiler}\n`);

const timeout = 180_000 + sampled * 2_000;

describe.skipIf(noCompiler)("every disk call of an append", () => {
  test("can be the last of the process without losing acknowledged thoughts or needing a repair", {
    timeout,
  }, async () => {
    const { store, calls } = await survey(appendAndFollow, "crash");
    const kinds = calls.map(({ call }) => call);
    expect(kinds).toEqual(expect.arrayContaining(["write", "sync", "create", "rename"]));
    const crashes = numbersOf(calls).map((at): Order => ({ at, fault: "crash" }));
    const torn = pick(placesFor("torn", calls), sampled / 2).map((at): Order => ({ at, fault: "torn" }));
    const struck = await visitAll(store, [...crashes, ...torn], appendAndFollow);
    reportSoak("crash at a system call during an append", `${calls.length} calls, ${struck.length} crashes`);
    expect(struck.length).toBeGreaterThan((crashes.length + torn.length) * 0.8);
  });

  test.each(["EIO", "ENOSPC", "short"] as const)(
    "can fail with %s, which leaves a STORAGE_ERROR or a whole thought, and the next process continues",
    { timeout },
    async (fault) => {
      const { store, calls } = await survey(appendAndFollow, fault);
      const orders = pick(placesFor(fault, calls), (sampled * 2) / 3).map((at): Order => ({ at, fault }));
      const struck = await visitAll(store, orders, appendAndFollow);
      reportSoak(
        `${fault} at a system call during an append`,
        `${calls.length} calls, error injected in ${struck.length}`,
      );
      expect(struck.length).toBeGreaterThan(orders.length / 2);
    },
  );
});
