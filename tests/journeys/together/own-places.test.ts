import { describe, expect, test } from "vitest";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp, type TestApp, type TestClient, ways } from "../../support/test-app.ts";

const talking = (id: string, more: { agent?: string } = {}) => ({
  client: "agent",
  conversation: { id, agent: more.agent },
});

async function planOf(client: TestClient, tasks: number): Promise<void> {
  await client.call("tasks_create", { title: "Logins below 200 ms" });
  for (let n = 1; n <= tasks; n += 1)
    await client.call("tasks_create", {
      parent: "PLAN-001",
      title: `Task ${n}`,
      steps: ["Look", "Change"],
    });
}

describe.each(ways)("focus and checkout of a %s client over %s", (era, backend) => {
  const open = () => createTestApp({ backend });

  test("are separate for each conversation: two of them write to two tasks without a target", async () => {
    const app = open();
    const [ada, bo] = [app[era](talking("a")), app[era](talking("b"))];
    await planOf(ada, 2);
    await ada.call("tasks_focus_set", { target: "TASK-001" });
    await bo.call("tasks_focus_set", { target: "TASK-002" });
    expect(await ada.call("notes_commit", { content: "of ada" })).toMatchObject({
      entry: { branch: "task/TASK-001" },
    });
    expect(await bo.call("notes_commit", { content: "of bo" })).toMatchObject({
      entry: { branch: "task/TASK-002" },
    });
    expect((await ada.call("tasks_focus_get")).focus).toBe("TASK-001");
    await ada.call("tasks_focus_clear");
    expect((await bo.call("tasks_focus_get")).focus).toBe("TASK-002");
  });

  test("of another conversation are used for reads, but never for writes", async () => {
    const app = open();
    const [ada, cy] = [app[era](talking("a")), app[era](talking("c"))];
    await planOf(ada, 2);
    await ada.call("tasks_focus_set", { target: "TASK-001" });
    expect(await cy.call("tasks_radar")).toMatchObject({ target: { id: "TASK-001" } });
    for (const [name, args] of [
      ["notes_commit", { content: "whose?" }],
      ["think_card", { type: "decision", title: "Whose?" }],
      ["tasks_close_step", { path: "s:0", checkpoints: "all" }],
    ] as const)
      expect(await cy.refusal(name, args)).toMatchObject({
        code: "INVALID_PAYLOAD",
        message: expect.stringContaining("Pass target"),
        recovery: { operation: "tasks_focus_set", args: { target: "TASK-001" } },
      });
    expect(await cy.call("notes_commit", { content: "mine", target: "TASK-002" })).toMatchObject({
      entry: { branch: "task/TASK-002" },
    });
    await ada.call("tasks_focus_clear");
    await ada.call("branch_create", { name: "try/pool" });
    await ada.call("checkout", { ref: "try/pool" });
    expect(await cy.call("show")).toMatchObject({ branch: "try/pool" });
    expect(await cy.refusal("notes_commit", { content: "whose?" })).toMatchObject({
      recovery: { operation: "checkout", args: { ref: "try/pool" } },
    });
    expect(await cy.call("notes_commit", { content: "on main", branch: "main" })).toMatchObject({
      entry: { branch: "main" },
    });
    await cy.call("checkout", { ref: "main" });
    expect(await ada.call("notes_commit", { content: "still there" })).toMatchObject({
      entry: { branch: "try/pool" },
    });
    expect((await cy.refusal("branch_delete", { name: "try/pool" })).code).toBe("CONFLICT");
  });

  test("start with a claim: an agent writes to the task that it claimed, even if a person has focused another", async () => {
    const app = open();
    const [ada, bo] = [app[era](talking("a")), app[era](talking("b"))];
    await planOf(ada, 3);
    await app.modern().call("tasks_focus_set", { target: "TASK-003" });
    await ada.call("tasks_step_lease_claim", { target: "TASK-001", path: "s:0" });
    await bo.call("tasks_step_lease_claim", { target: "TASK-002", path: "s:0" });
    expect(await ada.call("notes_commit", { content: "of ada" })).toMatchObject({
      entry: { branch: "task/TASK-001" },
    });
    expect(
      await bo.call("decide", { title: "Pool", chosen: "20", because: "25 is the limit" }),
    ).toMatchObject({
      branch: "task/TASK-002",
    });
    await app.modern().call("tasks_focus_set", { target: "TASK-001" });
    expect((await ada.call("tasks_focus_get")).focus).toBe("TASK-001");
    await app.modern().call("tasks_focus_set", { target: "TASK-002" });
    expect(await ada.call("notes_commit", { content: "of ada, again" })).toMatchObject({
      entry: { branch: "task/TASK-001" },
    });
  });

  test("follow a claim: closing a step applies to the task that was claimed last", async () => {
    const app = open();
    const ada = app[era](talking("a"));
    await planOf(ada, 2);
    await app.modern().call("tasks_focus_set", { target: "TASK-002" });
    expect((await ada.call("tasks_step_lease_claim", { target: "TASK-001", path: "s:0" })).focus).toBe(
      "TASK-001",
    );
    await ada.call("tasks_close_step", { path: "s:0", checkpoints: "all" });
    await ada.call("tasks_edit", { target: "TASK-002", depends_on: ["TASK-001"] });
    expect(await ada.call("tasks_step_lease_claim", { target: "TASK-002", path: "s:0" })).toMatchObject({
      focus: "TASK-002",
      warnings: [{ code: "TASK_WAITS", message: expect.stringContaining("TASK-001") }],
    });
    expect(await ada.call("tasks_close_step", { path: "s:0", checkpoints: "all" })).toMatchObject({
      target: { id: "TASK-002" },
    });
    expect((await ada.call("tasks_step_lease_claim", { target: "TASK-002", path: "s:1" })).focus).toBe(
      undefined,
    );
  });

  test("of another conversation cannot be cleared, and the answer explains how to write elsewhere", async () => {
    const app = open();
    const [ada, cy] = [app[era](talking("a")), app[era](talking("c"))];
    await planOf(ada, 1);
    await ada.call("tasks_focus_set", { target: "TASK-001" });
    expect(await cy.call("tasks_focus_clear")).toMatchObject({
      previous: null,
      warnings: [{ code: "FOCUS_OF_ANOTHER", message: expect.stringContaining('branch: "main"') }],
    });
    expect((await ada.call("tasks_focus_get")).focus).toBe("TASK-001");
    const { recovery } = await cy.refusal("notes_commit", { content: "whose?" });
    expect(recovery?.hint).toContain('branch: "main"');
  });

  test("follow an agent's name into its next conversation, and differ by name within one conversation", async () => {
    const app = open();
    const first = app[era](talking("a"));
    await planOf(first, 2);
    await first.call("tasks_focus_set", { target: "TASK-001", agent_id: "ada" });
    expect((await first.refusal("notes_commit", { content: "whose?", agent_id: "bo" })).code).toBe(
      "INVALID_PAYLOAD",
    );
    await first.call("tasks_focus_set", { target: "TASK-002", agent_id: "bo" });
    const note = async (client: TestClient, agent_id?: string) =>
      (await client.call("notes_commit", { content: "x", agent_id })).entry.branch;
    expect(await note(first, "ada")).toBe("task/TASK-001");
    expect(await note(first, "bo")).toBe("task/TASK-002");
    const next = app[era](talking("later"));
    expect(await note(next, "ada")).toBe("task/TASK-001");
  });

  test("end with the task: the focus is cleared, and the answer reports that", async () => {
    const client = open()[era](talking("a"));
    await planOf(client, 1);
    await client.call("tasks_focus_set", { target: "TASK-001" });
    for (const path of ["s:0", "s:1"]) await client.call("tasks_close_step", { path, checkpoints: "all" });
    expect((await client.call("tasks_complete")).warnings).toMatchObject([
      { code: "FOCUS_CLEARED", message: expect.stringContaining("TASK-001") },
    ]);
    expect((await client.call("tasks_focus_get")).focus).toBeNull();
    expect(await client.call("notes_commit", { content: "afterwards" })).toMatchObject({
      entry: { branch: "main" },
    });
  });

  test("end if another agent closes the task, and the answers report that until the next write", async () => {
    const app = open();
    const [ada, bo] = [app[era](talking("a")), app[era](talking("b"))];
    await planOf(ada, 3);
    await ada.call("tasks_focus_set", { target: "TASK-001" });
    await bo.call("tasks_focus_set", { target: "TASK-002" });
    await bo.call("tasks_complete", { target: "TASK-001", status: "CANCELED" });
    expect((await ada.call("tasks_focus_get")).warnings).toMatchObject([
      { message: expect.stringContaining("Calls without a target now use TASK-002") },
    ]);
    await bo.call("tasks_focus_clear");
    const told = [{ code: "FOCUS_CLEARED", message: expect.stringContaining("TASK-001 is CANCELED") }];
    expect((await ada.call("show")).warnings).toMatchObject(told);
    expect((await ada.refusal("tasks_note", { note: "where?" })).message).toContain("TASK-001 is closed");
    expect(await ada.call("notes_commit", { content: "on main" })).toMatchObject({
      entry: { branch: "main" },
      warnings: told,
    });
    for (const client of [ada, bo])
      expect((await client.call("notes_commit", { content: "again" })).warnings).toBeUndefined();
    await ada.call("tasks_focus_set", { target: "TASK-003" });
    await bo.call("tasks_complete", { target: "TASK-003", status: "CANCELED" });
    expect((await ada.call("tasks_focus_set", { target: "TASK-002" })).warnings).toMatchObject([
      { message: expect.stringContaining("TASK-003") },
    ]);
    expect((await ada.call("notes_commit", { content: "of ada" })).warnings).toBeUndefined();
  });

  test("of the workspace end if another agent closes the task, and agents that used them are notified", async () => {
    const app = open();
    const [ada, bo] = [app[era](talking("a")), app[era](talking("b"))];
    await planOf(ada, 2);
    await app.modern().call("tasks_focus_set", { target: "TASK-001" });
    await ada.call("notes_commit", { content: "of ada", target: "TASK-002" });
    await bo.call("tasks_complete", { target: "TASK-001", status: "CANCELED" });
    expect(await ada.call("notes_commit", { content: "where?" })).toMatchObject({
      entry: { branch: "main" },
      warnings: [{ code: "FOCUS_CLEARED", message: expect.stringContaining("now use branch main") }],
    });
    for (const client of [ada, bo])
      expect((await client.call("notes_commit", { content: "again" })).warnings).toBeUndefined();
  });

  test('since "me" starts after the last write of this conversation and needs no agent name', async () => {
    const app = open();
    const [ada, bo] = [app[era](talking("a")), app[era](talking("b"))];
    await ada.call("notes_commit", { content: "first" });
    await bo.call("graph_apply", { ops: [{ op: "node_upsert", id: "n1", type: "thing", title: "of bo" }] });
    await ada.call("notes_commit", { content: "second" });
    const seen = async (client: TestClient) =>
      (await client.call("changes", { since: "me" })).changes.map(({ text }: { text?: string }) => text);
    expect(await seen(ada)).toEqual([]);
    expect(await seen(bo)).toEqual(["second"]);
    await ada.call("notes_commit", { content: "third" });
    expect(await seen(bo)).toEqual(["second", "third"]);
  });
});

const texts = ["looked at the log", "measured it", "changed the pool"];

/** Takes two tasks, one after the other, and never names them again. */
async function work(client: TestClient, tasks: readonly string[]): Promise<void> {
  for (const target of tasks) {
    await client.call("tasks_focus_set", { target });
    for (const text of texts) await client.call("notes_commit", { content: `${text} for ${target}` });
    await client.call("think_card", { type: "decision", title: `Decided in ${target}` });
    await client.call("tasks_close_step", { path: "s:0", checkpoints: "all" });
    await client.call("tasks_note", { path: "s:1", note: `a note for ${target}` });
  }
}

async function expectInPlace(client: TestClient): Promise<void> {
  for (let n = 1; n <= 6; n += 1) {
    const target = `TASK-00${n}`;
    const { notes } = await client.call("export", { target });
    const said = (notes.entries as { content: string }[]).map(({ content }) => content);
    expect(said).toEqual([...texts.map((text) => `${text} for ${target}`), `a note for ${target}`]);
    const { cards } = await client.call("think_query", { target, types: ["decision"] });
    expect(cards).toMatchObject([{ title: `Decided in ${target}` }]);
    expect(await client.call("tasks_radar", { target })).toMatchObject({ steps: { completed: 1 } });
  }
}

describe("three agents that work on a plan of six tasks at the same time without naming their task", () => {
  const shares = [
    ["TASK-001", "TASK-004"],
    ["TASK-002", "TASK-005"],
    ["TASK-003", "TASK-006"],
  ];

  async function allAtOnce(apps: readonly [TestApp, TestApp, TestApp]) {
    const agents = [
      apps[0].modern(talking("one")),
      apps[1].legacy({ client: "agent" }),
      apps[2].modern(talking("three")),
    ];
    await planOf(agents[0] as TestClient, 6);
    await Promise.all(agents.map((agent, n) => work(agent, shares[n] ?? [])));
    await expectInPlace(agents[1] as TestClient);
  }

  test("file everything under the right task in three processes", async () => {
    const dataDir = tempDir();
    const start = () => createTestApp({ backend: "binary", dataDir });
    await allAtOnce([start(), start(), start()]);
  });

  test("file everything under the right task in one HTTP server", async () => {
    const app = createTestApp({ backend: "http" });
    await allAtOnce([app, app, app]);
  });
});
