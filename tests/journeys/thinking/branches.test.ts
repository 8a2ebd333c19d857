import { describe, expect, test } from "vitest";
import { executeRecovery, refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { fewWays, shareTestApp, startThinking, type TestClient } from "../../support/test-app.ts";
import { snapshotLedger } from "../../support/views/ledger-snapshot.ts";

describe.each(fewWays)("branches of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const [client, other] = [app[era](), app[era]()];

  /** Records a main chain with three thoughts. */
  async function threeThoughts() {
    const sessionId = await startThinking(client);
    const think = (args: Record<string, unknown>) => client.call("thought", { sessionId, ...args });
    for (const thought of ["one", "two", "three"]) await think({ thought });
    return { sessionId, think };
  }

  const texts = async (client: TestClient, sessionId: string, branchId: string) => {
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId });
    return thoughts.map(({ thoughtNumber, thought }: any) => [thoughtNumber, thought]);
  };

  test("a fork continues from its thought, and later thoughts need only the branch", async () => {
    const { sessionId, think } = await threeThoughts();
    expect(await think({ thought: "or", branchFromThought: 2, branchId: "alt" })).toEqual({
      thoughtNumber: 3,
      sessionId,
      branchId: "alt",
    });
    expect(await think({ thought: "so", branchId: "alt" })).toEqual({
      thoughtNumber: 4,
      sessionId,
      branchId: "alt",
    });
    expect(await think({ thought: "four" })).toEqual({ thoughtNumber: 4, sessionId });
    expect(await texts(client, sessionId, "alt")).toEqual([
      [3, "or"],
      [4, "so"],
    ]);
    const { thoughts } = await client.call("read_thoughts", { sessionId, branchId: "alt", thoughtNumber: 3 });
    expect(thoughts).toMatchObject([{ branchId: "alt", branchFromThought: 2 }]);
  });

  test("each branch counts its numbers separately", async () => {
    const { sessionId, think } = await threeThoughts();
    await think({ thought: "a", branchFromThought: 1, branchId: "a" });
    await think({ thought: "b", branchFromThought: 1, branchId: "b" });
    expect(await think({ thought: "a", branchId: "a" })).toMatchObject({ thoughtNumber: 3 });
    expect(await think({ thought: "b", branchId: "b" })).toMatchObject({ thoughtNumber: 3 });
    const again = { sessionId, thought: "a", branchId: "a", thoughtNumber: 3 };
    const error = await client.refusal("thought", again);
    expect(error).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: "Thought 3 of branch a already exists. A recorded thought is never overwritten.",
      recovery: { args: { thoughtNumber: 4 }, patch: true },
    });
    expect(await executeRecovery(client, again, error)).toMatchObject({ thoughtNumber: 4, branchId: "a" });
  });

  test("thoughts of a branch may be numbered explicitly, forward, backward and with gaps", async () => {
    const { sessionId, think } = await threeThoughts();
    await think({ thought: "x", branchFromThought: 3, branchId: "back", thoughtNumber: 9 });
    await think({ thought: "y", branchId: "back", thoughtNumber: 2 });
    expect(await think({ thought: "z", branchId: "back" })).toMatchObject({ thoughtNumber: 10 });
    const { branches } = await client.call("get_structure", { sessionId });
    expect(branches.back).toEqual({ forks: 3, range: [2, 10], length: 3 });
  });

  test("a fork without a name gets the first free name", async () => {
    const { think } = await threeThoughts();
    await think({ thought: "x", branchFromThought: 1, branchId: "branch-2" });
    expect(await think({ thought: "x", branchFromThought: 1 })).toMatchObject({ branchId: "branch-1" });
    expect(await think({ thought: "x", branchFromThought: 1 })).toMatchObject({ branchId: "branch-3" });
  });

  test("branches can fork from branches, however deep", async () => {
    const { sessionId, think } = await threeThoughts();
    await think({ thought: "a3", branchFromThought: 2, branchId: "a" });
    await think({ thought: "a4", branchId: "a" });
    expect(
      await think({ thought: "b5", branchFromThought: 4, branchFromBranch: "a", branchId: "b" }),
    ).toMatchObject({ thoughtNumber: 5, branchId: "b" });
    await think({ thought: "c6", branchFromThought: 5, branchFromBranch: "b", branchId: "c" });
    const { branches, branchCount } = await client.call("get_structure", { sessionId });
    expect(branchCount).toBe(3);
    expect(branches).toEqual({
      a: { forks: 2, range: [3, 4], length: 2 },
      b: { forks: 4, fromBranch: "a", range: [5, 5], length: 1 },
      c: { forks: 5, fromBranch: "b", range: [6, 6], length: 1 },
    });
    const { nodes } = await client.call("get_structure", { sessionId, detail: "nodes" });
    const chainOf = (id: string): string[] => {
      const prev = nodes.find((node: any) => node.id === id)?.prev;
      return prev === undefined ? [id] : [id, ...chainOf(prev)];
    };
    expect(chainOf(`${sessionId}:c:6`).map((id) => id.slice(sessionId.length + 1))).toEqual([
      "c:6",
      "b:5",
      "a:4",
      "a:3",
      "2",
      "1",
    ]);
  });

  test("a number that a branch lacks is not looked up on the main chain", async () => {
    const { sessionId, think } = await threeThoughts();
    await think({ thought: "a2", branchFromThought: 1, branchId: "a" });
    const error = await refusalWithCure(client, "thought", {
      sessionId,
      thought: "x",
      branchFromThought: 3,
      branchFromBranch: "a",
      branchId: "b",
    });
    expect(error).toMatchObject({
      code: "THOUGHT_NOT_FOUND",
      message: "Cannot fork from thought 3 of branch a: it does not exist.",
    });
  });

  test.each([
    ["a thought that does not exist", { branchFromThought: 9, branchId: "alt" }, "THOUGHT_NOT_FOUND"],
    ["a thought that does not exist, without a name", { branchFromThought: 9 }, "THOUGHT_NOT_FOUND"],
    [
      "an unknown branch",
      { branchFromThought: 1, branchFromBranch: "none", branchId: "alt" },
      "THOUGHT_NOT_FOUND",
    ],
    ["no thought", { branchId: "alt" }, "INVALID_PAYLOAD"],
    [
      "a different place than before, which does not exist",
      { branchFromThought: 9, branchId: "old" },
      "THOUGHT_NOT_FOUND",
    ],
    ["a different place than before", { branchFromThought: 2, branchId: "old" }, "INVALID_PAYLOAD"],
  ])("a branch from %s is refused, and nothing is stored", async (_what, args, code) => {
    const { sessionId, think } = await threeThoughts();
    await think({ thought: "x", branchFromThought: 1, branchId: "old" });
    const before = await snapshotLedger(client, sessionId);
    const call = { sessionId, thought: "y", ...args };
    const error = await client.refusal("thought", call);
    expect(error.code).toBe(code);
    expect(await snapshotLedger(client, sessionId)).toEqual(before);
    await executeRecovery(client, call, error);
  });

  test("branchFromBranch alone is refused", async () => {
    const { sessionId } = await threeThoughts();
    const call = { sessionId, thought: "x", branchFromBranch: "alt" };
    expect(await client.refusal("thought", call)).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: expect.stringContaining("branchFromThought"),
    });
  });

  test("a branch in a session without thoughts is refused, and the recovery starts the main chain", async () => {
    const call = { sessionId: await startThinking(client), thought: "x", branchId: "alt" };
    const error = await client.refusal("thought", call);
    expect(error.code).toBe("INVALID_PAYLOAD");
    expect(await executeRecovery(client, call, error)).toEqual({
      thoughtNumber: 1,
      sessionId: call.sessionId,
    });
  });

  test("naming the fork again merely continues the branch", async () => {
    const { think } = await threeThoughts();
    const fork = { thought: "x", branchFromThought: 2, branchId: "alt" };
    await think(fork);
    expect(await think(fork)).toMatchObject({ thoughtNumber: 4, branchId: "alt" });
  });

  test.each(["constructor", "prototype", "tostring", "0", "-", "--", "b".repeat(64)])(
    "the branch name %s works everywhere",
    async (branchId) => {
      const sessionId = await startThinking(client);
      await client.call("thought", { sessionId, thought: "one" });
      const fork = { sessionId, thought: "parrot", branchFromThought: 1, branchId };
      expect(await client.call("thought", { ...fork, verbose: true })).toMatchObject({
        branchId,
        branches: [branchId],
      });
      await client.call("thought", { sessionId, thought: "again", branchId, revisesThought: 2 });
      expect((await texts(client, sessionId, branchId)).length).toBe(2);
      const { branches, revisions } = await client.call("get_structure", { sessionId });
      expect(Object.keys(branches)).toEqual([branchId]);
      expect(branches[branchId]).toEqual({ forks: 1, range: [2, 3], length: 2 });
      expect(revisions).toEqual([
        { thought: { branchId, thoughtNumber: 3 }, revises: { branchId, thoughtNumber: 2 } },
      ]);
      const { nodes } = await client.call("get_structure", { sessionId, detail: "nodes" });
      expect(nodes.map(({ id }: any) => id)).toContain(`${sessionId}:${branchId}:3`);
      const { hits } = await client.call("session.search", { sessionId, query: "parrot" });
      expect(hits.filter((hit: any) => hit.sessionId === sessionId)).toMatchObject([
        { thought: { branchId, thoughtNumber: 2 } },
      ]);
      const { export: exported } = await client.call("session.export", { sessionId });
      expect(exported.nodes.filter((node: any) => node.branchId === branchId).length).toBe(2);
      expect(await client.call("session.verify", { sessionId })).toMatchObject({ valid: true });
      const loaded = await other.call("load_context", { sessionId });
      expect(loaded.branches).toEqual([{ branchId, nextThoughtNumber: 4 }]);
    },
  );

  test("ending a branch does not end the session", async () => {
    const { sessionId, think } = await threeThoughts();
    const ended = await think({
      thought: "x",
      branchFromThought: 1,
      branchId: "alt",
      nextThoughtNeeded: false,
    });
    expect(ended).toEqual({ thoughtNumber: 2, sessionId, branchId: "alt" });
    const { session } = await client.call("load_context", { sessionId });
    expect(session).toMatchObject({ status: "active", branchCount: 1, thoughtCount: 4 });
  });

  test("simultaneous forks with the same name become one branch", async () => {
    const { sessionId, think } = await threeThoughts();
    const fork = { thought: "x", branchFromThought: 2, branchId: "alt" };
    const answers = await Promise.all(Array.from({ length: 8 }, () => think(fork)));
    expect(answers.map(({ thoughtNumber }) => thoughtNumber).sort((a, b) => a - b)).toEqual([
      3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(await client.call("get_structure", { sessionId })).toMatchObject({ branchCount: 1 });
  });
});
