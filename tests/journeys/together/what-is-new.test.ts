import { describe, expect, test } from "vitest";
import { createTestApp, fewWays } from "../../support/test-app.ts";

type Line = { id: string; decided?: string[]; note?: string };
const ids = (lines: readonly { id: string }[] = []) => lines.map(({ id }) => id);

describe.each(fewWays)("what is new in a pack: a %s client over %s", (era, backend) => {
  async function planWithTasks() {
    const client = createTestApp({ backend })[era]();
    await client.call("tasks_create", { title: "Logins below 200 ms", description: "Users leave." });
    for (const title of ["Find the slow query", "Cache the reads", "Tell the users"])
      await client.call("tasks_create", { parent: "PLAN-001", title, steps: ["Look"] });
    await client.call("think_card", { target: "TASK-001", type: "decision", title: "Log the queries" });
    await client.call("notes_commit", { target: "TASK-001", content: "The log is noisy." });
    return client;
  }

  test("of a plan is only what changed after since, and the answer carries the next since", async () => {
    const client = await planWithTasks();
    const { since } = await client.call("changes", { since: "0", limit: 200 });
    const nothing = await client.call("context_pack", { target: "PLAN-001", since: String(since) });
    expect(nothing.board).toMatchObject({ progress: "0 of 3 tasks done", tasks: [] });
    expect(nothing.since).toBe(since);

    await client.call("think_card", { target: "TASK-002", type: "decision", title: "Cache for 60 s" });
    const pack = await client.call("context_pack", { target: "PLAN-001", since: String(nothing.since) });
    expect(ids(pack.board.tasks)).toEqual(["TASK-002"]);
    expect((pack.board.tasks as Line[])[0]?.decided?.[0]).toContain("Cache for 60 s");
    expect(JSON.stringify(pack)).not.toContain("Log the queries");
    expect(pack.since).toBeGreaterThan(since);
    const whole = await client.call("context_pack", { target: "PLAN-001" });
    expect(ids(whole.board.tasks)).toHaveLength(3);
    expect(whole).not.toHaveProperty("since");
  });

  test("of a task is its new notes and cards alone, also for tasks_resume_super and for an earlier time", async () => {
    const client = await planWithTasks();
    const { since } = await client.call("changes", { since: "0", limit: 200 });
    await client.call("notes_commit", { target: "TASK-001", content: "It is quiet now." });
    for (const name of ["context_pack", "tasks_resume_super"]) {
      const pack = await client.call(name, { target: "TASK-001", since: String(since) });
      expect(pack.notes.entries).toMatchObject([{ content: "It is quiet now." }]);
      expect(pack.notes.pagination).toMatchObject({ has_more: false, count: 1 });
      expect(JSON.stringify(pack.signals.decisions ?? [])).toBe("[]");
      const all = await client.call(name, { target: "TASK-001", since: "2020-01-01" });
      expect(all.notes.entries).toHaveLength(2);
    }
    expect((await client.refusal("context_pack", { since: "yesterday-ish" })).code).toBe("INVALID_PAYLOAD");
  });

  test("of the ledger is shown too: the latest session if something was thought in it since", async () => {
    const client = await planWithTasks();
    const { sessionId } = await client.call("thought", { thought: "S1|O|The build takes nine minutes" });
    const { since } = await client.call("changes", { since: "0", limit: 200 });
    expect(await client.call("context_pack", { since: String(since) })).not.toHaveProperty("session");
    await client.call("thought", { sessionId, thought: "S2|O|Eight of them in the linker" });
    const { session } = await client.call("context_pack", { since: String(since) });
    expect(session.thoughts).toEqual([expect.stringContaining("Eight of them")]);
  });
});
