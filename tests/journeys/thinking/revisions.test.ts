import { describe, expect, test } from "vitest";
import { executeRecovery, refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { fewWays, shareTestApp, startThinking } from "../../support/test-app.ts";
import { snapshotLedger } from "../../support/views/ledger-snapshot.ts";

describe.each(fewWays)("revisions of a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  /** Records main 1–3, branch `a` from 2 with 3 and 4, and branch `b` from a:4 with 5. */
  async function twoBranches() {
    const sessionId = await startThinking(client);
    const think = (thought: string, args: Record<string, unknown> = {}) =>
      client.call("thought", { sessionId, thought, ...args });
    const read = async (args: Record<string, unknown>) =>
      (await client.call("read_thoughts", { sessionId, ...args })).thoughts[0];
    for (const thought of ["m1", "m2", "m3"]) await think(thought);
    await think("a3", { branchFromThought: 2, branchId: "a" });
    await think("a4", { branchId: "a" });
    await think("b5", { branchFromThought: 4, branchFromBranch: "a", branchId: "b" });
    return { sessionId, think, read };
  }

  test("a revision keeps the original thought readable, and the two refer to each other", async () => {
    const { think, read } = await twoBranches();
    await think("better", { revisesThought: 2 });
    expect(await read({ thoughtNumber: 2 })).toMatchObject({
      thought: "m2",
      revisedBy: [{ thoughtNumber: 4 }],
    });
    expect(await read({ thoughtNumber: 4 })).toMatchObject({
      thought: "better",
      revises: { thoughtNumber: 2 },
    });
  });

  test("a search hit that was revised names the newest revision", async () => {
    const { sessionId, think } = await twoBranches();
    await think("better", { revisesThought: 2 });
    await think("better still", { revisesThought: 2 });
    const { hits } = await client.call("session.search", { sessionId, query: "m2" });
    expect(hits[0]).toMatchObject({ thought: { thoughtNumber: 2 }, revisedBy: { thoughtNumber: 5 } });
    const current = await client.call("session.search", { sessionId, query: "still" });
    expect(current.hits[0]).not.toHaveProperty("revisedBy");
  });

  test("structure, nodes and export show both directions", async () => {
    const { sessionId, think } = await twoBranches();
    await think("better", { isRevision: true, revisesThought: 2 });
    await think("better still", { revisesThought: 4 });
    const structure = await client.call("get_structure", { sessionId, detail: "nodes" });
    expect(structure).toMatchObject({
      revisionCount: 2,
      revisions: [
        { thought: { thoughtNumber: 4 }, revises: { thoughtNumber: 2 } },
        { thought: { thoughtNumber: 5 }, revises: { thoughtNumber: 4 } },
      ],
    });
    const { export: exported } = await client.call("session.export", { sessionId });
    for (const [nodes, link] of [
      [structure.nodes, "revises"],
      [exported.nodes, "revisesNode"],
    ]) {
      const node = (n: number) => nodes.find(({ id }: any) => id === `${sessionId}:${n}`);
      expect(node(4)).toMatchObject({ [link]: `${sessionId}:2`, revisedBy: [`${sessionId}:5`] });
      expect(node(2)).toMatchObject({ revisedBy: [`${sessionId}:4`] });
    }
  });

  test("one thought may be revised many times, in order", async () => {
    const { think, read } = await twoBranches();
    await think("first", { revisesThought: 1 });
    await think("second", { revisesThought: 1, branchId: "a" });
    expect(await read({ thoughtNumber: 1 })).toMatchObject({
      revisedBy: [{ thoughtNumber: 4 }, { branchId: "a", thoughtNumber: 5 }],
    });
  });

  test.each([
    ["its own thought", { branchId: "a", revisesThought: 3 }, { branchId: "a", thoughtNumber: 3 }],
    ["the main chain up to the fork", { branchId: "a", revisesThought: 2 }, { thoughtNumber: 2 }],
    ["its parent's thought", { branchId: "b", revisesThought: 4 }, { branchId: "a", thoughtNumber: 4 }],
    [
      "its parent's own number before the main chain's",
      { branchId: "b", revisesThought: 3 },
      { branchId: "a", thoughtNumber: 3 },
    ],
    ["its grandparent's thought", { branchId: "b", revisesThought: 1 }, { thoughtNumber: 1 }],
    [
      "the main chain, as its first thought",
      { branchFromThought: 3, branchId: "c", revisesThought: 3 },
      { thoughtNumber: 3 },
    ],
    [
      "its parent, as its first thought",
      { branchFromThought: 4, branchFromBranch: "a", branchId: "c", revisesThought: 4 },
      { branchId: "a", thoughtNumber: 4 },
    ],
  ])("a number in a branch refers to %s", async (_what, args, target) => {
    const { sessionId, think } = await twoBranches();
    const { thoughtNumber, branchId } = await think("better", args);
    const { revisions } = await client.call("get_structure", { sessionId });
    expect(revisions).toEqual([{ thought: { branchId, thoughtNumber }, revises: target }]);
  });

  test.each([
    ["a thought that does not exist", { revisesThought: 9 }],
    ["a thought of the main chain after the fork", { branchId: "b", revisesThought: 9 }],
    ["a thought that came after the fork", { branchFromThought: 1, branchId: "c", revisesThought: 2 }],
    ["a thought of a branch, from the main chain", { revisesThought: 4 }],
    ["a missing thought under a number that is taken", { thoughtNumber: 1, revisesThought: 9 }],
  ])("a revision of %s is refused with THOUGHT_NOT_FOUND, and nothing is stored", async (_what, args) => {
    const { sessionId } = await twoBranches();
    const before = await snapshotLedger(client, sessionId);
    const error = await refusalWithCure(client, "thought", { sessionId, thought: "x", ...args });
    expect(error).toMatchObject({ code: "THOUGHT_NOT_FOUND", recovery: { operation: "get_structure" } });
    expect(await snapshotLedger(client, sessionId)).toEqual(before);
  });

  test("the main chain after a fork is not an ancestor of the branch", async () => {
    const { sessionId, think } = await twoBranches();
    await think("m4");
    await think("m5");
    await think("c2", { branchFromThought: 1, branchId: "c" });
    const call = { sessionId, thought: "x", branchId: "c", revisesThought: 5 };
    const error = await client.refusal("thought", call);
    expect(error).toMatchObject({
      code: "THOUGHT_NOT_FOUND",
      message: "Cannot revise thought 5 of branch c: it does not exist.",
    });
    await executeRecovery(client, call, error);
  });

  test.each([{ isRevision: true }, { isRevision: false, revisesThought: 1 }])(
    "a revision with the inconsistent fields %o is refused",
    async (args) => {
      const { sessionId } = await twoBranches();
      const before = await snapshotLedger(client, sessionId);
      expect(await client.refusal("thought", { sessionId, thought: "x", ...args })).toMatchObject({
        code: "INVALID_PAYLOAD",
        message: expect.stringContaining("revisesThought"),
      });
      expect(await snapshotLedger(client, sessionId)).toEqual(before);
    },
  );
});
