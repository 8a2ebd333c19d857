import { describe, expect, onTestFinished, test } from "vitest";
import type { KeptAction } from "../../../src/ports/actions.ts";
import { startSession } from "../../support/ledger.ts";
import { noon, storeKind, storeNames } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

const edit = (call: string, thoughtNumber: number, branchId?: string): KeptAction => ({
  type: "edit",
  change: "edit",
  call,
  part: 0,
  tool: "Edit",
  at: noon,
  path: "/a/b.ts",
  lines: [],
  removed: [],
  after: { thoughtNumber, ...(branchId !== undefined && { branchId }) },
});
const refusal: KeptAction = {
  type: "refusal",
  call: "no",
  part: 0,
  tool: "Bash",
  at: noon,
  command: "rm",
  said: "",
  after: { thoughtNumber: 2 },
};

describe.each(storeNames)("edits in %s", (backend) => {
  test("are found by branch and by the numbers of the thoughts before them", async () => {
    const store = storeKind(backend).open(tempDir(), () => new Date(noon));
    onTestFinished(() => store.close());
    const sessionId = await startSession(store.ledger);
    const other = await startSession(store.ledger);
    const made = [edit("c", 3), edit("a", 1), edit("b", 2), edit("sub", 2, "agent-1"), refusal, edit("d", 9)];
    await store.actions.record(sessionId, made);
    await store.actions.record(other, [edit("z", 2)]);
    const main = await store.actions.findEditPlaces(sessionId, { branchId: undefined, from: 2, to: 3 });
    expect(main).toEqual([
      { call: "c", part: 0, thoughtNumber: 3 },
      { call: "b", part: 0, thoughtNumber: 2 },
    ]);
    const strand = await store.actions.findEditPlaces(sessionId, { branchId: "agent-1", from: 1, to: 9 });
    expect(strand).toEqual([{ call: "sub", part: 0, thoughtNumber: 2 }]);
  });
});
