import { expect, test } from "vitest";
import { openObservatory } from "./observatory.testing.ts";

const longAgo = "2000-01-01T00:00:00Z";

test("home shows conclusions, dead ends, contradictions and questions of all projects", async () => {
  const { call, json } = await openObservatory();
  const think = (sessionId: string, thought: string, more = {}) =>
    call("thought", { sessionId, thought, ...more });
  const shop = await call("start_new", { sessionTitle: "Shop", project: "shop" });
  await think(shop.sessionId, "S1|O|Orders are charged twice", { agentId: "ada" });
  await think(shop.sessionId, "S2|C|S1|The retry is to blame");
  await think(shop.sessionId, "S3|E|The retry never ran");
  await think(shop.sessionId, "S4|E|[S3] ⊖ [S2]", { agentId: "ada" });
  await think(shop.sessionId, "S5|C|S3|The gateway forgets its keys", { agentId: "bo" });
  const infra = await call("start_new", { sessionTitle: "Infra", project: "infra" });
  await think(infra.sessionId, "S1|P|Larger runners");
  await think(infra.sessionId, "S2|X|S1|Installs do not get faster");
  const home = await json(`/api/home?since=${longAgo}`);
  expect(home).toMatchObject({
    counts: { concluded: 1, givenUp: 1, contradicted: 1, unanswered: 0, tasks: 0, conflicts: 0 },
    isComplete: true,
    sessions: 2,
    projects: expect.arrayContaining([{ project: "shop", sessions: 1 }]),
    concluded: [{ thoughtNumber: 5, sessionTitle: "Shop", project: "shop", agent: "bo" }],
    givenUp: [
      {
        thoughtNumber: 1,
        type: "P",
        sessionTitle: "Infra",
        reason: { thoughtNumber: 2, text: "S2|X|S1|Installs do not get faster" },
      },
    ],
    contradicted: [{ old: { thoughtNumber: 2, type: "C" }, by: { thoughtNumber: 4, agent: "ada" } }],
  });
  expect(home.lanes.map(({ types }: { types: string }) => types)).toEqual(["PX", "OCEEC"]);
  expect(await json(`/api/home?since=${longAgo}&project=infra`)).toMatchObject({
    counts: { concluded: 0, givenUp: 1 },
    sessions: 1,
    inAllProjects: 2,
    projects: expect.arrayContaining([
      { project: "shop", sessions: 1 },
      { project: "infra", sessions: 1 },
    ]),
  });
  expect((await json("/api/home?since=2990-01-01T00:00:00Z")).lanes).toEqual([]);
});

test("a caret replaces a conclusion on every page", async () => {
  const { call, json } = await openObservatory();
  const { sessionId } = await call("start_new", { sessionTitle: "Cache" });
  for (const thought of ["S1|O|Slow", "S2|C|S1|The cache", "S3|R|^S2|It is not"])
    await call("thought", { sessionId, thought });
  const { thoughts } = await json(`/api/sessions/${sessionId}`);
  expect(thoughts[2]).toMatchObject({ revises: 2, revisesId: `${sessionId}:2` });
  expect((await json(`/api/home?since=${longAgo}`)).concluded).toEqual([]);
});

test.each(["S3|X|S2|The fact was wrong", "S3|R|^S2|The fact was wrong"])(
  "a contradiction ends if the thought that states it is rejected or replaced: %s",
  async (revoked) => {
    const { call, json } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Cache" });
    for (const thought of ["S1|C|The cache", "S2|E|The trace ⊖ [S1]"])
      await call("thought", { sessionId, thought });
    expect((await json(`/api/home?since=${longAgo}`)).counts).toMatchObject({
      concluded: 0,
      contradicted: 1,
    });
    await call("thought", { sessionId, thought: revoked });
    expect((await json(`/api/home?since=${longAgo}`)).counts).toMatchObject({
      concluded: 1,
      contradicted: 0,
    });
  },
);

test("conclusions and dead ends can be read together, in pages", async () => {
  const { call, json } = await openObservatory();
  const { sessionId } = await call("start_new", { sessionTitle: "Many" });
  for (let n = 1; n <= 8; n += 1)
    await call("thought", { sessionId, thought: `S${n}|${n % 2 ? "X" : "C"}||Number ${n}` });
  for (let n = 9; n <= 16; n += 1) await call("thought", { sessionId, thought: `S${n}|C||Number ${n}` });
  const sizes = async (query: string) => {
    const { concluded, givenUp } = await json(`/api/home?since=${longAgo}&${query}`);
    return [concluded.length, givenUp.length];
  };
  expect(await sizes("")).toEqual([5, 4]);
  expect(await sizes("show=concluded,givenUp")).toEqual([12, 4]);
  expect(await sizes("show=concluded,givenUp&offset=10")).toEqual([2, 0]);
});

test("a dead end is listed once, by its idea, and a rejection without a reference as itself", async () => {
  const { call, json } = await openObservatory();
  const { sessionId } = await call("start_new", { sessionTitle: "Cache" });
  for (const thought of [
    "S1|H|The key changes",
    "S2|X|S1|Hits are at 91 %",
    "S3|X|S1|The key is the same in every run",
    "S4|X|A larger cache costs too much",
  ])
    await call("thought", { sessionId, thought });
  const { counts, givenUp } = await json(`/api/home?since=${longAgo}`);
  expect(counts.givenUp).toBe(2);
  expect(givenUp).toHaveLength(2);
  expect(givenUp).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        thoughtNumber: 1,
        text: "S1|H|The key changes",
        reason: expect.objectContaining({ thoughtNumber: 3 }),
      }),
      expect.not.objectContaining({ reason: expect.anything() }),
    ]),
  );
});

test("a session in prose that ended is described by its last words", async () => {
  const { call, json } = await openObservatory();
  const { sessionId } = await call("start_new", { sessionTitle: "Rename" });
  await call("thought", { sessionId, thought: "I rename it." });
  await call("thought", { sessionId, thought: "412 places are renamed.", nextThoughtNeeded: false });
  const { concluded, ended } = await json(`/api/home?since=${longAgo}`);
  expect(ended).toBe(1);
  expect(concluded).toMatchObject([{ type: "N", text: "412 places are renamed." }]);
});

test("home shows tasks that moved and conflicts of every branch", async () => {
  const { call, json } = await openObservatory();
  await call("init", {});
  await call("tasks_create", { title: "Logins below 200 ms" });
  await call("tasks_create", { parent: "PLAN-001", title: "Pool", steps: [{ title: "Count" }] });
  await call("tasks_step_lease_claim", { target: "TASK-001", path: "s:0", agent_id: "ada" });
  await call("branch_create", { name: "one" });
  const node = (title: string) => ({ op: "node_upsert", id: "n", type: "decision", title, status: "open" });
  await call("graph_apply", { branch: "one", ops: [node("base")] });
  await call("branch_create", { name: "two", from: "one" });
  await call("graph_apply", { branch: "two", ops: [node("theirs")] });
  await call("graph_apply", { branch: "one", ops: [node("ours")] });
  await call("graph_merge", { from: "two", into: "one" });
  const { counts, tasks, conflicts } = await json(`/api/home?since=${longAgo}`);
  expect(counts).toMatchObject({ tasks: 1, conflicts: 1 });
  expect(tasks).toMatchObject([{ id: "TASK-001", title: "Pool", to: "ada", state: "active" }]);
  expect(conflicts).toMatchObject([{ key: "n", from: "two", into: "one", fields: ["title"] }]);
  expect(await json("/api/memory/conflicts")).toMatchObject({ total: 1, conflicts: [{ into: "one" }] });
});

test("home without a start time is refused in one sentence", async () => {
  const { get } = await openObservatory();
  const answer = await get("/api/home");
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining("since") } });
});

test("a recorded decision counts as a conclusion, and its session gets its title", async () => {
  const { call, json } = await openObservatory();
  const decision = {
    title: "One key per shipment",
    chosen: "per shipment",
    because: "Orders ship in parts.",
  };
  const { sessionId } = await call("decide", decision);
  const { concluded, lanes } = await json(`/api/home?since=${longAgo}`);
  expect(concluded).toMatchObject([{ sessionId, type: "C", sessionTitle: "One key per shipment" }]);
  expect(lanes).toMatchObject([{ types: "C", session: { story: { stands: { thoughtNumber: 1 } } } }]);
  expect(await json("/api/memory/decisions")).toMatchObject({
    decisions: [{ title: "One key per shipment", state: "holds", thought: `${sessionId}:1` }],
  });
});

test("home reports if it leaves out workspaces", async () => {
  const { call, json } = await openObservatory();
  const write = (n: number) => call("notes_commit", { workspace: `workspace-${n}`, content: `Note ${n}` });
  for (let n = 1; n <= 20; n += 1) await write(n);
  expect(await json(`/api/home?since=${longAgo}`)).toMatchObject({ isComplete: true });
  await write(21);
  expect(await json(`/api/home?since=${longAgo}`)).toMatchObject({ isComplete: false });
});
