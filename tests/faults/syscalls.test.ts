import { describe, expect, test } from "vitest";
import { noCompiler } from "../support/compile-c.ts";
import { compileShim } from "../support/disk-shim.ts";
import {
  appendAndFollow,
  createStore,
  never,
  numbersOf,
  type Order,
  pick,
  placesFor,
  visit,
  visitAll,
} from "../support/fault-visits.ts";
import { reportSoak, times } from "../support/soak.ts";

if (noCompiler) process.stderr.write(`skipped: ${noCompiler}\n`);

const sampled = times("syscall samples", 12);
const timeout = 180_000 + sampled * 2_000;

describe.skipIf(noCompiler)("every call of an append to the disk", () => {
  test("can be the last one of the process: nothing acknowledged is lost, and no repair is needed", {
    timeout,
  }, async () => {
    const store = await createStore(compileShim());
    const { calls } = await visit(store, { at: never, fault: "crash" }, appendAndFollow);
    const kinds = calls.map(({ call }) => call);
    expect(kinds).toEqual(expect.arrayContaining(["write", "sync", "create", "rename"]));
    const crashes = numbersOf(calls).map((at): Order => ({ at, fault: "crash" }));
    const torn = pick(placesFor("torn", calls), sampled / 2).map((at): Order => ({ at, fault: "torn" }));
    const struck = await visitAll(store, [...crashes, ...torn], appendAndFollow);
    reportSoak("crash at a system call of an append", `${calls.length} calls, ${struck.length} crashes`);
    expect(struck.length).toBeGreaterThan((crashes.length + torn.length) * 0.8);
  });

  test.each(["EIO", "ENOSPC", "short"] as const)(
    "can fail with %s: a STORAGE_ERROR or a whole thought, and the next process goes on",
    { timeout },
    async (fault) => {
      const store = await createStore(compileShim());
      const { calls } = await visit(store, { at: never, fault }, appendAndFollow);
      const orders = pick(placesFor(fault, calls), sampled).map((at): Order => ({ at, fault }));
      const struck = await visitAll(store, orders, appendAndFollow);
      reportSoak(`${fault} at a system call of an append`, `${calls.length} calls, ${struck.length} struck`);
      expect(struck.length).toBeGreaterThan(orders.length / 2);
    },
  );
});
