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

/** Stands in everything that the others wrote; whoever sees it got past the lock. */
const marker = "zebra-in-the-cellar";
const theirs = { sessionId: "", deletedSession: "", notebookId: "", exported: "" };

const ofWorkspaces = catalogue.filter(({ scope }) => scope === "workspace");

const locks = [
  ["PROJECT_LOCK", { THOUGHTBOX_PROJECT_LOCK: "true" }, catalogue],
  [
    "PROJECT_LOCK of a look-alike",
    { THOUGHTBOX_PROJECT_LOCK: "true", THOUGHTBOX_PROJECT: "_theirs" },
    ofWorkspaces,
  ],
  ["WORKSPACE_LOCK", { THOUGHTBOX_WORKSPACE_LOCK: "true" }, ofWorkspaces],
] as const;

/** Others work in a project, and a workspace, called theirs; the lock is on the ones called ours. */
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
  const workspace = "theirs";
  await client.call("notes_commit", { workspace, content: marker, title: marker });
  await client.call("branch_create", { workspace, name: "try/cache" });
  await client.call("commit", { workspace, artifact: marker, message: marker });
  await client.call("tag_create", { workspace, name: "v1" });
  await client.call("graph_apply", {
    workspace,
    ops: [{ op: "node_upsert", id: "h1", type: "note", title: marker }],
  });
  await client.call("think_add_hypothesis", { workspace, card: marker });
  await client.call("tasks_create", { workspace, title: marker });
  await client.call("tasks_create", {
    workspace,
    parent: "PLAN-001",
    title: marker,
    steps: [{ title: marker }],
  });
  await client.call("tasks_jobs_create", { workspace, title: marker, prompt: marker });
  await client.call("macro_anchor_note", {
    workspace,
    anchor: "a:cellar",
    title: marker,
    kind: "component",
    content: marker,
  });
  await close();
});

/** What the others exported. */
const files = ["theirs.json", "theirs.md", "theirs.src.md"];
/** Fields that name a file. */
const fileFields = ["path", "destination", "out_file"];

/** What the others find when they look after their things. */
async function lookAround(client: TestClient): Promise<unknown> {
  const { sessionId } = theirs;
  const looks: [string, Args][] = [
    ["session.verify", { sessionId }],
    ["get_structure", { sessionId }],
    ["read_thoughts", { sessionId, last: 10 }],
    ["list_sessions", { project: "theirs" }],
    ["list_sessions", { project: "theirs", status: "deleted" }],
    ["knowledge.list_patterns", { sessionId }],
    ["knowledge.list_scratchpad", { sessionId }],
    ["notebook.list_cells", { sessionId, notebookId: theirs.notebookId }],
    ["show", { workspace: "theirs" }],
    ["branch_list", { workspace: "theirs" }],
    ["tag_list", { workspace: "theirs" }],
    ["graph_query", { workspace: "theirs" }],
    ["tasks_jobs_list", { workspace: "theirs" }],
    ["anchors_list", { workspace: "theirs" }],
  ];
  const exports = join(dataDir, "exports");
  const found: unknown[] = files.map((name) => readFileSync(join(exports, name), "utf8"));
  for (const [name, args] of looks) {
    const reply = await client.reply(name, args);
    found.push(reply.kind === "result" ? reply.result : reply);
  }
  return JSON.parse(JSON.stringify(found, (key, value) => (key === "lastAccessedAt" ? undefined : value)));
}

type Schema = { type?: string; enum?: unknown; properties?: Record<string, Schema>; items?: Schema };

/** Makes a value of this schema in which one text is the name given, for each text that it holds, however deep. */
function placesFor({ type, enum: choices, properties = {}, items }: Schema): ((name: string) => unknown)[] {
  if (type === "string" && !choices) return [(name) => name];
  if (items) return placesFor(items).map((place) => (name: string) => [place(name)]);
  return Object.entries(properties).flatMap(([field, schema]) =>
    placesFor(schema).map((place) => (name: string) => ({ [field]: place(name) })),
  );
}

/** Lays one over the other: what an example fills in beside the named text stays, or the call would be refused for it. */
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

/** Every way to name something of theirs that the fields of an operation offer: the usual one, and each text by itself. */
function trespasses(
  { name, input, examples: [example], scope }: Operation,
  names: readonly string[],
  ownSession: string,
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
    ...(scope === "workspace" && { workspace: "theirs" }),
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

/** Cells would take seconds each; their session and notebook are looked up before anything runs. */
const isSlow = ({ name }: Operation) => ["notebook.run_all", "notebook.install_deps"].includes(name);

/** Sessions are of a project, and not of a workspace: only one of the locks is about them. */
const namesFor = (lock: (typeof locks)[number][0]): string[] => {
  const { sessionId } = theirs;
  const ofSession = [sessionId, sessionId.slice(0, 8), `${sessionId}:1`, `session/${sessionId}`];
  return lock === "WORKSPACE_LOCK" ? ["theirs"] : [...ofSession, "theirs"];
};

for (const era of eras)
  for (const [lock, env, operations] of locks)
    test(`no operation of a ${era} client gets past ${lock}`, async () => {
      const others = openBareApp("fs", dataDir);
      const before = await lookAround(others.client);
      expect(JSON.stringify(before)).toContain(marker);

      const locked = openBareApp("fs", dataDir, { THOUGHTBOX_PROJECT: "ours", ...env });
      const { sessionId } = await locked.client.call("start_new", { title: "Ours" });
      const leaks: unknown[] = [];
      let calls = 0;
      for (const operation of operations.filter((one) => !isSlow(one)))
        for (const args of trespasses(operation, namesFor(lock), sessionId)) {
          const client = locked.modern(era === "legacy" ? { era, binding: createBinding() } : {});
          const told = JSON.stringify(await client.reply(operation.name, args));
          calls += 1;
          if (told.includes(marker) && !JSON.stringify(args).includes(marker))
            leaks.push({ operation: operation.name, args, told: told.slice(0, 300) });
        }
      expect(calls).toBeGreaterThan(operations.length);
      expect(leaks).toEqual([]);
      await locked.close();
      expect(await lookAround(others.client)).toEqual(before);
      await others.close();
    }, 180_000);

test("a server that is locked to a project exports beside the others' files, not over them", async () => {
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
