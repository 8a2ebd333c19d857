import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { connectRaw } from "../support/raw-client.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { chanceFor } from "../support/seeded-random.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const workspace = "acme/repo";
const agents = ["ann", "bob", "cy", "dee"];

type Args = Record<string, unknown>;
type Json = Record<string, any>;

async function connect(dataDir: string) {
  const { server, call, gateway } = await connectRaw(spawnServer(dataDir), "modern");
  return {
    server,
    call: (operation: string, args: Args = {}): Promise<Json> => call(operation, { workspace, ...args }),
    /** Returns the answer, even if it is an error. */
    ask: (operation: string, args: Args = {}): Promise<Json> => gateway(operation, { workspace, ...args }),
    async kill() {
      server.child.kill("SIGKILL");
      await server.exited;
    },
  };
}
type Client = Awaited<ReturnType<typeof connect>>;

/** Reads all items in a list, page by page. */
async function readAll({ call }: Client, operation: string, key: string, args: Args = {}): Promise<Json[]> {
  const found: Json[] = [];
  for (let cursor: unknown; ; ) {
    const page = await call(operation, { ...args, limit: 200, max_chars: 75_000, cursor });
    found.push(...page[key]);
    cursor = page["pagination"].next_cursor;
    if (cursor === undefined) return found;
  }
}

/** Checks that each event is in the trace once, and that the steps and the graph match the events. */
async function expectWhole(client: Client, task: string): Promise<Json[]> {
  const events = (await readAll(client, "tasks_delta", "events")).filter(({ target }) => target === task);
  const place = { branch: `task/${task}`, doc: `${task}-trace` };
  const entries = await readAll(client, "show", "entries", place);
  const told = entries.filter(({ kind }) => kind === "event").map(({ source_event_id: id }) => id as string);
  expect(told.sort()).toEqual(events.map(({ event_id }) => event_id as string).sort());
  const done = events.filter(({ kind }) => kind === "step_done").map(({ path }) => path as string);
  expect(new Set(done).size, "no step is closed twice").toBe(done.length);
  const { steps } = await client.call("tasks_radar", { target: task });
  expect(steps.completed).toBe(done.length);
  const nodes = await readAll(client, "graph_query", "nodes", { target: task, types: ["step"] });
  expect(nodes).toHaveLength(steps.total);
  expect(nodes.filter(({ status }) => status === "done")).toHaveLength(done.length);
  return events;
}

test("four processes with leases on one plan never close the same step twice", async () => {
  const dataDir = join(tempDir(), "data");
  const clients = await Promise.all(agents.map(() => connect(dataDir)));
  const [first] = clients as [Client];
  await first.call("tasks_create", { title: "A plan" });
  const steps = Array.from({ length: 6 }, (_, n) => ({ title: `step ${n}`, success_criteria: ["a number"] }));
  for (const title of ["One", "Two"]) await first.call("tasks_create", { parent: "PLAN-001", title, steps });
  const places = ["TASK-001", "TASK-002"].flatMap((target) =>
    steps.map((_, n) => ({ target, path: `s:${n}` })),
  );
  const acknowledged: string[] = [];
  const refused = new Map<string, number>();

  const attemptBy = (agent_id: string, client: Client) => async (operation: string, args: Args) => {
    const { error } = await client.ask(operation, { agent_id, ...args });
    if (error) refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
    return error === undefined;
  };
  const everybody = clients.map((client, n) => ({ client, agent: agents[n] ?? "" }));

  // At first all agents want the same step at the same time.
  for (const place of places.slice(0, 3)) {
    const all = (operation: string, args: Args) =>
      Promise.all(everybody.map(({ agent, client }) => attemptBy(agent, client)(operation, args)));
    expect((await all("tasks_step_lease_claim", place)).filter(Boolean)).toHaveLength(1);
    expect((await all("tasks_close_step", { ...place, checkpoints: "gate" })).filter(Boolean)).toHaveLength(
      1,
    );
    acknowledged.push(`${place.target} ${place.path}`);
  }
  expect(refused.get("STEP_LEASE_HELD")).toBeGreaterThanOrEqual(9);

  // Then each agent works on its own.
  async function work(agent: string, client: Client): Promise<void> {
    const { upTo } = chanceFor(`leases of ${agent}`);
    const attempt = attemptBy(agent, client);
    const open = new Set(places);
    while (open.size > 0) {
      const place = [...open][upTo(open.size - 1)] as (typeof places)[number];
      const isMine = await attempt("tasks_step_lease_claim", place);
      if (isMine && upTo(3) === 0) await attempt("tasks_step_lease_release", place);
      if (await attempt("tasks_close_step", { ...place, checkpoints: "gate" }))
        acknowledged.push(`${place.target} ${place.path}`);
      const { step } = await client.call("tasks_step_lease_get", place);
      if (step.completed) open.delete(place);
    }
  }
  await Promise.all(everybody.map(({ agent, client }) => work(agent, client)));

  const wanted = places.map(({ target, path }) => `${target} ${path}`).sort();
  expect(acknowledged.sort(), "each closing was acknowledged to one agent").toEqual(wanted);
  for (const target of ["TASK-001", "TASK-002"]) {
    const events = await expectWhole(first, target);
    const holders = new Map<string, string>();
    for (const { kind, path, agent_id } of events) {
      if (kind === "lease_claimed") holders.set(path, agent_id);
      if (kind === "lease_released") holders.delete(path);
      if (kind === "step_done" && holders.has(path)) expect(agent_id).toBe(holders.get(path));
    }
  }
  expect([...refused.keys()].filter((code) => code === "STORAGE_ERROR" || code === "INTERNAL_ERROR")).toEqual(
    [],
  );
  for (const client of clients) await client.kill();
});

const rounds = Math.ceil(times("task kills", 8) / agents.length);

/** Writes plans, steps, notes and cards without a pause, until it is killed at a random moment. */
async function workUntilKilled(dataDir: string, writer: string, told: Set<string>): Promise<void> {
  const { upTo } = chanceFor(`task kills ${writer}`);
  const client = await connect(dataDir);
  let begun = 0;
  const plan = async (): Promise<void> => {
    for (;;) {
      const title = `${writer}.${begun++}`;
      const steps = [{ title: "one", success_criteria: ["x"] }, { title: "two" }];
      const { target } = await client.call("tasks_create", { parent: "PLAN-001", title, steps });
      await client.call("tasks_note", { target: target.id, path: "s:0", note: `note ${title}` });
      await client.call("tasks_close_step", { target: target.id, path: "s:0", checkpoints: "gate" });
      told.add(`closed ${target.id}`);
    }
  };
  const think = async (): Promise<void> => {
    for (;;) {
      const name = `${writer}.${begun++}`;
      const stages = { hypothesis: `h ${name}`, test: `t ${name}`, decision: `d ${name}` };
      await client.call("think_pipeline", { branch: "main", ...stages });
      told.add(`thought ${name}`);
      if (begun > 4) void delay(upTo(80)).then(() => client.server.child.kill("SIGKILL"));
    }
  };
  await Promise.allSettled([plan(), think()]);
  const [, signal] = await client.server.exited;
  expect(signal).toBe("SIGKILL");
}

test(`${rounds * agents.length} kill -9 during tasks, steps, notes and cards leave every change complete or absent`, {
  timeout: enoughTime(rounds * agents.length, 4_000),
}, async () => {
  const dataDir = join(tempDir(), "data");
  const beginning = await connect(dataDir);
  await beginning.call("tasks_create", { title: "A plan" });
  await beginning.kill();
  const told = new Set<string>();
  for (let round = 0; round < rounds; round += 1)
    await Promise.all(agents.map((agent) => workUntilKilled(dataDir, `${agent}.${round}`, told)));

  const client = await connect(dataDir);
  const events = await readAll(client, "tasks_delta", "events");
  const tasks = [...new Set(events.map(({ target }) => target as string))].filter((id) =>
    id.startsWith("TASK-"),
  );
  expect(tasks.length).toBeGreaterThan(rounds);
  for (const task of tasks) {
    const own = await expectWhole(client, task);
    const kinds = own.map(({ kind }) => kind);
    if (told.has(`closed ${task}`)) expect(kinds).toContain("step_done");
    const notes = await readAll(client, "show", "entries", { target: task, doc_kind: "notes" });
    expect(notes.length, "a note stands in both places").toBe(
      kinds.filter((kind) => kind === "noted").length,
    );
  }

  const cards = await readAll(client, "think_query", "cards", { ref: "main" });
  const trace = await readAll(client, "show", "entries", { branch: "main", doc: "trace" });
  expect(cards.length).toBe(trace.length);
  const notes = await readAll(client, "show", "entries", { branch: "main", doc: "notes" });
  const names = new Map<string, number>();
  for (const { text, title } of cards) {
    const name = String(text ?? title).slice(2);
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  for (const [name, count] of names) expect([name, count], "a pipeline is whole").toEqual([name, 3]);
  expect(notes).toHaveLength(names.size);
  for (const line of told) if (line.startsWith("thought ")) expect(names.has(line.slice(8)), line).toBe(true);
  expect(await client.call("graph_validate", { branch: "main" })).toMatchObject({
    ok: true,
    stats: { nodes: cards.length, edges: names.size * 2 },
  });
  await client.kill();
  reportSoak("kill -9 amid tasks", `${rounds * agents.length} kills, ${told.size} changes acknowledged`);
});
