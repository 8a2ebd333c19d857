import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { catalogue } from "../../src/operations/catalogue.ts";
import { createBinding } from "../../src/operations/pipeline/context.ts";
import type { Args, Operation } from "../../src/operations/pipeline/operation.ts";
import { openBareApp } from "../support/bare-app.ts";
import { eras, type TestClient } from "../support/test-app.ts";

const dataDir = mkdtempSync(join(tmpdir(), "thoughtbox-test-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/**
 * A text in everything that the others wrote, in their project and workspaces. An answer that contains this
 * text got past the lock.
 */
const marker = "zebra-in-the-cellar";
const inWorkspace = "heron-in-the-attic";
const theirs = { sessionId: "", deletedSession: "", notebookId: "", exported: "", decision: "" };
const theirGuard = { THOUGHTBOX_PROJECT_GUARD: "their-guard" };

const ofWorkspaces = catalogue.filter(({ scope }) => scope === "workspace");
const ofMemory = catalogue.filter(({ scope, input }) => scope === "workspace" || "workspace" in input.shape);

type Lock = {
  name: string;
  env: Readonly<Record<string, string>>;
  operations: readonly Operation[];
  /** Texts that no answer may contain. */
  hidden: readonly string[];
  workspace?: string;
};

/** Sessions belong to a project and not to a workspace, so only one kind of lock applies to them. */
const locks: readonly Lock[] = [
  {
    name: "PROJECT_LOCK",
    env: { THOUGHTBOX_PROJECT_LOCK: "true" },
    operations: catalogue,
    hidden: [marker, inWorkspace],
  },
  {
    name: "PROJECT_LOCK of a look-alike",
    env: { THOUGHTBOX_PROJECT_LOCK: "true", THOUGHTBOX_PROJECT: "_theirs" },
    operations: ofWorkspaces,
    hidden: [marker, inWorkspace],
  },
  {
    name: "WORKSPACE_LOCK",
    env: { THOUGHTBOX_WORKSPACE_LOCK: "true" },
    operations: ofMemory,
    hidden: [inWorkspace],
  },
  {
    name: "WORKSPACE_ALLOW",
    env: { THOUGHTBOX_WORKSPACE_ALLOW: "ours,also-ours" },
    operations: ofMemory,
    hidden: [inWorkspace],
  },
  {
    name: "a guard of another server",
    env: {},
    operations: ofMemory,
    hidden: [inWorkspace],
    workspace: "guarded",
  },
  {
    name: "a guard of another project",
    env: { THOUGHTBOX_PROJECT_GUARD: "our-guard" },
    operations: ofWorkspaces,
    hidden: [inWorkspace],
    workspace: "guarded",
  },
];

/**
 * Others work in a project and a workspace named `theirs`. The lock is on the project or workspace named
 * `ours`.
 */
beforeAll(async () => {
  const { client, close } = openBareApp("fs", dataDir);
  const start = async () =>
    (await client.call("start_new", { project: "theirs", sessionTitle: marker, tags: [marker] })).sessionId;
  const sessionId = await start();
  theirs.sessionId = sessionId;
  await client.call("cipher", { sessionId });
  await client.call("thought", { sessionId, thought: `S1|O|${marker}` });
  await client.call("thought", { sessionId, thought: marker, branchFromThought: 1, branchId: "alt" });
  await client.call("knowledge.create_pattern", {
    sessionId,
    title: marker,
    description: marker,
    content: marker,
  });
  await client.call("knowledge.write_scratchpad", { sessionId, topic: "Handover", content: marker });
  theirs.notebookId = (await client.call("notebook.create", { sessionId, name: marker })).notebookId;
  const cell = { type: "code", filename: "add.ts", content: `"${marker}"` };
  await client.call("notebook.add_cell", { sessionId, notebookId: theirs.notebookId, ...cell });
  for (const [name, more] of [
    ["session.export", { destination: "theirs.json" }],
    ["session.export", { destination: "theirs.md", format: "markdown" }],
    ["notebook.export", { notebookId: theirs.notebookId, path: "theirs.src.md" }],
  ] as const)
    await client.call(name, { sessionId, ...more });
  theirs.exported = JSON.stringify((await client.call("session.export", { sessionId })).export);
  theirs.deletedSession = await start();
  await client.call("session.delete", { sessionId: theirs.deletedSession, confirm: true });
  await client.call("remark", { sessionId, thoughtNumber: 1, comment: marker });
  theirs.decision = await writeWorkspace(client, "theirs");
  await close();
  const guarded = openBareApp("fs", dataDir, { ...theirGuard, THOUGHTBOX_PROJECT: "guarded" });
  await writeWorkspace(guarded.client, "guarded");
  await guarded.close();
});

async function writeWorkspace(client: TestClient, workspace: string): Promise<string> {
  await client.call("notes_commit", { workspace, content: inWorkspace, title: inWorkspace });
  await client.call("branch_create", { workspace, name: "try/cache" });
  await client.call("commit", { workspace, artifact: inWorkspace, message: inWorkspace });
  await client.call("tag_create", { workspace, name: "v1" });
  await client.call("graph_apply", {
    workspace,
    ops: [{ op: "node_upsert", id: "h1", type: "note", title: inWorkspace }],
  });
  await client.call("think_add_hypothesis", { workspace, card: inWorkspace });
  await client.call("tasks_create", { workspace, title: inWorkspace });
  await client.call("tasks_create", {
    workspace,
    parent: "PLAN-001",
    title: inWorkspace,
    steps: [{ title: inWorkspace }],
  });
  await client.call("tasks_jobs_create", { workspace, title: inWorkspace, prompt: inWorkspace });
  await client.call("macro_anchor_note", {
    workspace,
    anchor: "a:cellar",
    title: inWorkspace,
    kind: "component",
    content: inWorkspace,
  });
  const because = { chosen: inWorkspace, because: inWorkspace, rejected: [`${inWorkspace}: ${inWorkspace}`] };
  const { id } = await client.call("decide", {
    workspace,
    title: inWorkspace,
    files: ["src/pool.ts"],
    ...because,
  });
  await client.call("tasks_note", { workspace, target: "TASK-001", note: inWorkspace, to: "ann" });
  return id;
}

/** Files that the others exported. */
const files = ["theirs.json", "theirs.md", "theirs.src.md"];
/** Fields that contain a file name. */
const fileFields = ["path", "destination", "out_file"];

/** Returns the others' view of their data. */
async function lookAround(client: TestClient, { hidden, workspace = "theirs" }: Lock): Promise<unknown> {
  const { sessionId } = theirs;
  const ofSession: [string, Args][] = [
    ["session.verify", { sessionId }],
    ["get_structure", { sessionId }],
    ["read_thoughts", { sessionId, last: 10 }],
    ["list_sessions", { project: "theirs" }],
    ["list_sessions", { project: "theirs", status: "deleted" }],
    ["knowledge.list_patterns", { sessionId }],
    ["knowledge.list_scratchpad", { sessionId }],
    ["notebook.list_cells", { sessionId, notebookId: theirs.notebookId }],
  ];
  const ofWorkspace: [string, Args][] = [
    ["show", { workspace }],
    ["branch_list", { workspace }],
    ["tag_list", { workspace }],
    ["graph_query", { workspace }],
    ["tasks_jobs_list", { workspace }],
    ["anchors_list", { workspace }],
    ["decisions", { workspace }],
    ["tasks_context", { workspace, include_all: true }],
  ];
  const isOfProject = hidden.includes(marker);
  const exports = join(dataDir, "exports");
  const found: unknown[] = isOfProject ? files.map((name) => readFileSync(join(exports, name), "utf8")) : [];
  for (const [name, args] of [...(isOfProject ? ofSession : []), ...ofWorkspace]) {
    const reply = await client.reply(name, args);
    found.push(reply.kind === "result" ? reply.result : reply);
  }
  for (const text of hidden) expect(JSON.stringify(found)).toContain(text);
  return JSON.parse(JSON.stringify(found, (key, value) => (key === "lastAccessedAt" ? undefined : value)));
}

type Schema = { type?: string; enum?: unknown; properties?: Record<string, Schema>; items?: Schema };

/** Returns one function per text field in the schema, at any depth. It creates a value with a name there. */
function placesFor({ type, enum: choices, properties = {}, items }: Schema): ((name: string) => unknown)[] {
  if (type === "string" && !choices) return [(name) => name];
  if (items) return placesFor(items).map((place) => (name: string) => [place(name)]);
  return Object.entries(properties).flatMap(([field, schema]) =>
    placesFor(schema).map((place) => (name: string) => ({ [field]: place(name) })),
  );
}

/** Overlays one value on another. Keeps the example's other fields, because the call needs them. */
function layOver(below: unknown, above: unknown): unknown {
  if (Array.isArray(above))
    return above.map((item, at) => layOver(Array.isArray(below) ? below[at] : undefined, item));
  if (typeof above !== "object" || above === null) return above;
  const kept = typeof below === "object" && below !== null && !Array.isArray(below) ? below : {};
  const laid = Object.entries(above).map(([key, value]) => [
    key,
    layOver((kept as Record<string, unknown>)[key], value),
  ]);
  return { ...kept, ...Object.fromEntries(laid) };
}

/** Returns all ways for a call to name something of theirs: the usual way, and in each text field alone. */
function trespasses(
  { name, input, examples: [example], scope }: Operation,
  names: readonly string[],
  ownSession: string,
  workspace: string,
): Args[] {
  const schema = z.toJSONSchema(input, { io: "input" }) as Schema;
  const { properties = {} } = schema;
  const given: Args = example?.input ?? {};
  const { sessionId, deletedSession, notebookId, exported } = theirs;
  const base: Args = {
    ...given,
    ...("sessionId" in properties && { sessionId }),
    ...("notebookId" in properties && { notebookId }),
    ...("recordAs" in given && { recordAs: { ...(given["recordAs"] as Args), sessionId } }),
    ...((scope === "workspace" || "workspace" in properties) && { workspace }),
  };
  const { sessionId: _session, workspace: _workspace, path: _path, ...unnamed } = base;
  const own: Args = "sessionId" in properties ? { sessionId: ownSession } : {};
  return [
    base,
    ...placesFor(schema).flatMap((place) => names.map((one) => layOver(unnamed, place(one)) as Args)),
    ...fileFields
      .filter((field) => field in properties)
      .flatMap((field) => files.map((file) => ({ ...own, [field]: file })))
      .flatMap((named) => [named, { ...unnamed, ...named }]),
    ...(name === "session.restore" ? [{ sessionId: deletedSession }] : []),
    ...(name === "session.import"
      ? [{ content: exported }, { content: exported.replaceAll('"project":"theirs"', '"project":"ours"') }]
      : []),
  ];
}

/**
 * Returns true for calls that run cells, which takes seconds. The others' session and notebook are looked up
 * before anything runs.
 */
const isSlow = ({ name }: Operation) => ["notebook.run_all", "notebook.install_deps"].includes(name);

/** Returns the names of the others' data, and names that mean everything. */
const namesFor = ({ hidden, workspace = "theirs" }: Lock): string[] => {
  const { sessionId, decision } = theirs;
  const ofSession = [sessionId, sessionId.slice(0, 8), `${sessionId}:1`, `session/${sessionId}`];
  const ofWorkspace = [workspace, decision, "TASK-001", "CARD-1", "*", "latest"];
  return hidden.includes(marker) ? [...ofSession, ...ofWorkspace] : ofWorkspace;
};

for (const era of eras)
  for (const lock of locks)
    test(`no operation of a ${era} client gets past ${lock.name}`, async () => {
      const { env, operations, hidden, workspace = "theirs" } = lock;
      const others = openBareApp("fs", dataDir, workspace === "guarded" ? theirGuard : {});
      const before = await lookAround(others.client, lock);

      const locked = openBareApp("fs", dataDir, { THOUGHTBOX_PROJECT: "ours", ...env });
      const { sessionId } = await locked.client.call("start_new", { title: "Ours" });
      const leaks: unknown[] = [];
      let calls = 0;
      for (const operation of operations.filter((one) => !isSlow(one)))
        for (const args of trespasses(operation, namesFor(lock), sessionId, workspace)) {
          const client = locked.modern(era === "legacy" ? { era, binding: createBinding() } : {});
          const told = JSON.stringify(await client.reply(operation.name, args));
          calls += 1;
          const asked = JSON.stringify(args);
          if (hidden.some((text) => told.includes(text) && !asked.includes(text)))
            leaks.push({ operation: operation.name, args, told: told.slice(0, 300) });
        }
      expect(calls).toBeGreaterThan(operations.length);
      expect(leaks).toEqual([]);
      await locked.close();
      expect(await lookAround(others.client, lock)).toEqual(before);
      await others.close();
    }, 180_000);

test("a server that is locked to a project does not overwrite the exports of other projects", async () => {
  const others = openBareApp("fs", dataDir);
  const { sessionId: theirSession, notebookId: theirNotebook } = theirs;
  const file = { path: "both.src.md" };
  const { path } = await others.client.call("notebook.export", {
    ...{ sessionId: theirSession, notebookId: theirNotebook, ...file },
  });
  const before = readFileSync(path, "utf8");
  await others.close();

  const env = { THOUGHTBOX_PROJECT: "ours", THOUGHTBOX_PROJECT_LOCK: "true" };
  const { client, close } = openBareApp("fs", dataDir, env);
  const { sessionId } = await client.call("start_new", { title: "Ours" });
  const { notebookId } = await client.call("notebook.create", { sessionId, name: marker });
  const exported = await client.call("notebook.export", { sessionId, notebookId, ...file });
  expect(exported.path).toBe(join(dataDir, "exports", "ours", "both.src.md"));
  const outside = { sessionId, notebookId, path: "../both.src.md" };
  expect(await client.refusal("notebook.export", outside)).toMatchObject({ code: "INVALID_PAYLOAD" });
  expect(readFileSync(path, "utf8")).toBe(before);
  await close();
});
