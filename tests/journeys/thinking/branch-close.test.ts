import { describe, expect, test } from "vitest";
import { createTestApp, doors, startThinking } from "../../support/test-app.ts";

describe.each(doors)("closing a branch over %s", (backend) => {
  async function withBranch() {
    const client = createTestApp({ backend }).modern();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "Logins time out." });
    await client.call("thought", { sessionId, thought: "The proxy?", branchFromThought: 1, branchId: "alt" });
    const nested = { branchFromThought: 2, branchFromBranch: "alt", branchId: "deep" };
    await client.call("thought", { sessionId, thought: "Its timeout?", ...nested });
    return { client, sessionId };
  }
  const abandoned = { branchId: "alt", outcome: "abandoned", lesson: "The proxy keeps sockets for an hour." };

  test("writes the lesson into the chain that it forked from, and the two refer to each other", async () => {
    const { client, sessionId } = await withBranch();
    const closed = await client.call("branch_close", { sessionId, ...abandoned });
    expect(closed).toMatchObject({ thought: `${sessionId}:2`, by: { thoughtNumber: 2 }, recorded: true });
    const merged = { sessionId, branchId: "deep", outcome: "merged", lesson: "30 s is too short." };
    expect(await client.call("branch_close", merged)).toMatchObject({ thought: `${sessionId}:alt:3` });
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 1 });
    expect(thoughts).toMatchObject([
      {
        thought: "Branch alt abandoned: The proxy keeps sockets for an hour.",
        closes: { branchId: "alt", outcome: "abandoned" },
      },
    ]);
    const { branches } = await client.call("get_structure", { sessionId });
    expect(branches).toMatchObject({
      alt: { closed: { outcome: "abandoned", by: { thoughtNumber: 2 } } },
      deep: { closed: { outcome: "merged", by: { branchId: "alt", thoughtNumber: 3 } } },
    });
    const { digest, structure } = await client.call("load_context", { sessionId });
    expect(structure.branches.alt.closed).toMatchObject({ outcome: "abandoned" });
    expect(digest.branches).toMatchObject([
      { branchId: "deep", closed: "merged" },
      { branchId: "alt", closed: "abandoned", rejected: true },
    ]);
  });

  test("twice, even at the same time, is recorded once, and another outcome is refused", async () => {
    const { client, sessionId } = await withBranch();
    const both = await Promise.all(
      [1, 2].map(() => client.call("branch_close", { sessionId, ...abandoned })),
    );
    expect(new Set(both.map(({ thought }) => thought)).size).toBe(1);
    const again = await client.call("branch_close", { sessionId, ...abandoned });
    expect(again).toMatchObject({ thought: both[0].thought, recorded: false });
    expect((await client.call("read_thoughts", { sessionId, last: 9 })).thoughts).toHaveLength(2);
    const other = { sessionId, ...abandoned, outcome: "merged" };
    expect(await client.refusal("branch_close", other)).toMatchObject({ code: "CONFLICT" });
    expect((await client.refusal("branch_close", { ...other, branchId: "none" })).code).toBe(
      "THOUGHT_NOT_FOUND",
    );
  });

  test("leaves a finished session finished", async () => {
    const { client, sessionId } = await withBranch();
    await client.call("thought", { sessionId, thought: "Done.", nextThoughtNeeded: false });
    await client.call("branch_close", { sessionId, ...abandoned });
    expect((await client.call("session.get", { sessionId })).session.status).toBe("completed");
  });
});
