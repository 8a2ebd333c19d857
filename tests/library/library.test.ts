import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ThoughtboxEvent, ThoughtboxOptions } from "../../src/library/api.d.ts";
import { describeOperation } from "../../src/library/open-caller.ts";
import { createThoughtbox, ThoughtboxError } from "../../src/library.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { toolName } from "../../src/operations/pipeline/normalise.ts";
import { databaseUrl, tenantOf } from "../support/stores/postgres-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import { backends } from "../support/test-app.ts";
import { filesBelow, rightsOf } from "../support/views/tree.ts";

async function openBox(options: ThoughtboxOptions = {}) {
  const box = await createThoughtbox(options);
  onTestFinished(() => box.close());
  return box;
}

async function failure(promise: Promise<unknown>): Promise<InstanceType<typeof ThoughtboxError>> {
  const thrown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ThoughtboxError);
  return thrown as InstanceType<typeof ThoughtboxError>;
}

const at = (storage: (typeof backends)[number]): ThoughtboxOptions =>
  storage === "fs"
    ? { dataDir: join(tempDir(), "data") }
    : storage === "postgres"
      ? { storage, databaseUrl: databaseUrl(), tenant: tenantOf(tempDir()) }
      : {};

describe.each(backends)("a box on %s", (storage) => {
  test("records, forks, revises, reads and finds without stages", async () => {
    const box = await openBox(at(storage));
    const { sessionId } = await box.call("start_new", { sessionTitle: "Why?" });
    await box.call("thought", { sessionId, thought: "The pool runs dry" });
    await box.call("thought", {
      sessionId,
      thought: "Or the proxy?",
      branchFromThought: 1,
      branchId: "proxy",
    });
    const revised = await box.call("thought", { sessionId, thought: "It is DNS", revisesThought: 1 });
    expect(revised).toEqual({ thoughtNumber: 2, sessionId });
    expect(await box.call("get_structure", { sessionId })).toMatchObject({
      totalThoughts: 3,
      revisionCount: 1,
    });
    expect(await box.call("session.search", { query: "proxy" })).toMatchObject({ hits: [{ sessionId }] });
  });

  test("gives concurrent calls distinct numbers", async () => {
    const box = await openBox(at(storage));
    const { sessionId } = await box.call("start_new");
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        box.call("thought", { sessionId, thought: `thought ${index}` }),
      ),
    );
    const numbers = answers.map(({ thoughtNumber }) => Number(thoughtNumber)).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  test("does not see other boxes", async () => {
    const [one, other] = [await openBox(at(storage)), await openBox(at(storage))];
    const { sessionId } = await one.call("start_new", { sessionTitle: "Mine" });
    expect(await other.call("list_sessions")).toMatchObject({ total: 0 });
    expect((await failure(other.call("session.get", { sessionId }))).code).toBe("SESSION_NOT_FOUND");
  });

  test("refuses calls after close, but can be closed twice", async () => {
    const box = await openBox(at(storage));
    const call = box.call("start_new", { sessionTitle: "Under way" });
    await box.close();
    expect(await call).toMatchObject({ session: { title: "Under way" } });
    await box.close();
    expect(await failure(box.call("list_sessions"))).toMatchObject({
      code: "STORAGE_ERROR",
      message: "This box is closed. Nothing was changed.",
    });
  });
});

describe("failures", () => {
  test("are thrown with code, message, details and recovery", async () => {
    const box = await openBox();
    const { sessionId } = await box.call("start_new");
    await box.call("thought", { sessionId, thought: "one" });
    const error = await failure(box.call("thought", { sessionId, thought: "again", thoughtNumber: 1 }));
    expect(error).toMatchObject({
      name: "ThoughtboxError",
      code: "INVALID_PAYLOAD",
      details: { thoughtNumber: 1, nextThoughtNumber: 2 },
      recovery: { operation: "thought", args: { thoughtNumber: 2 }, patch: true },
    });
    expect(error.stack).toContain("library.test.ts");
    expect(Object.hasOwn(error, "cause")).toBe(false);
  });

  test("are thrown for calls that make no sense", async () => {
    const box = await openBox();
    expect((await failure(box.call("thougt"))).message).toContain("Did you mean thought?");
    expect((await failure(box.call("thought", 3 as never))).code).toBe("INVALID_PAYLOAD");
    expect((await failure(box.call(undefined as never))).code).toBe("INVALID_OPERATION");
  });

  test("name the invalid option", async () => {
    const refused = async (options: object) => (await failure(createThoughtbox(options))).message;
    expect(await refused({ datadir: "/tmp" })).toBe('There is no option "datadir". Did you mean dataDir?');
    expect(await refused({ project: "a b" })).toMatch(/^The option project is "a b". It must be/);
    expect(await refused({ storage: "cloud" })).toMatch(/^The option storage is "cloud"/);
    expect(await refused({ log: "stderr" })).toBe("The option log must be a function.");
  });

  test("are thrown by the first call if the directory cannot be used", async () => {
    const file = join(tempDir(), "file");
    writeFileSync(file, "");
    const lines: string[] = [];
    const box = await openBox({ dataDir: file, log: (line) => lines.push(line) });
    expect((await failure(box.call("start_new"))).code).toBe("STORAGE_ERROR");
  });

  test("of an aborted call have the signal's reason", async () => {
    const box = await openBox();
    const reason = new Error("no longer needed");
    const call = box.call("list_sessions", {}, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });
});

describe("sessions", () => {
  test("a connection remembers only its own session", async () => {
    const box = await openBox();
    const [ada, ben] = [box.connect(), box.connect()];
    const { sessionId } = await ada.call("start_new", { sessionTitle: "Ada's" });
    const { sessionId: bens } = await ben.call("thought", { thought: "Ben's first" });
    expect(await ada.call("thought", { thought: "Ada's first" })).toEqual({ thoughtNumber: 1, sessionId });
    expect(bens).not.toBe(sessionId);
    expect(await ben.call("read_thoughts", { last: 1 })).toMatchObject({ sessionId: bens });
  });

  test("the box remembers no session: a thought names its session or opens one", async () => {
    const box = await openBox();
    const { sessionId } = await box.call("start_new");
    const error = await failure(box.call("thought", { thought: "where?", branchId: "alt" }));
    expect(error.recovery).toMatchObject({ operation: "load_context", args: { sessionId } });
    expect(await box.call("thought", { thought: "here", sessionTitle: "A title" })).toMatchObject({
      thoughtNumber: 1,
      sessionOpened: true,
    });
  });

  test("staged boxes lead a model step by step", async () => {
    const box = await openBox({ disclosure: "staged" });
    const model = box.connect();
    const early = { operation: "thought", thought: "one" };
    const error = await failure(model.call("thoughtbox_gateway", early));
    expect(error.code).toBe("STAGE_REQUIREMENT_NOT_MET");
    await model.call("start_new");
    await model.call("cipher");
    expect(await model.call("thoughtbox_gateway", early)).toMatchObject({ thoughtNumber: 1 });
  });

  test("sessions belong to the box's project", async () => {
    const box = await openBox({ project: "shop", projectLock: true });
    expect(await box.call("start_new")).toMatchObject({ session: { project: "shop" } });
    expect((await failure(box.call("start_new", { project: "bank" }))).code).toBe("INVALID_PAYLOAD");
  });
});

describe("files", () => {
  test("closing writes the files of every thought", async () => {
    const dataDir = join(tempDir(), "data");
    const box = await openBox({ dataDir });
    const { sessionId } = await box.call("start_new");
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        box.call("thought", { sessionId, thought: `thought ${index}` }),
      ),
    );
    await box.close();
    const files = filesBelow(join(dataDir, "projects")).filter((path) => path.includes(String(sessionId)));
    expect(files.filter((path) => /\/\d+\.json$/.test(path))).toHaveLength(200);
    expect(files.filter((path) => path.endsWith("/manifest.json"))).toHaveLength(1);
  });

  test("two boxes share one directory", async () => {
    const dataDir = join(tempDir(), "data");
    const [one, other] = [await openBox({ dataDir }), await openBox({ dataDir })];
    const { sessionId } = await one.call("start_new");
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? one : other).call("thought", { sessionId, thought: `thought ${index}` }),
      ),
    );
    await one.close();
    expect(await other.call("get_structure", { sessionId })).toMatchObject({ totalThoughts: 40 });
    expect(await other.call("session.verify", { sessionId })).toMatchObject({ valid: true });
  });

  test("only the owner can read them, even if another program created the directory", async () => {
    const dataDir = join(tempDir(), "data");
    mkdirSync(dataDir, { mode: 0o755 });
    const box = await openBox({ dataDir });
    await box.connect().call("thought", { thought: "private" });
    for (const name of ["thoughtbox.db", "thoughtbox.db-wal"])
      expect(rightsOf(join(dataDir, name)), name).toBe("600");
  });

  test("config.json in the directory applies, and options override it", async () => {
    const dataDir = tempDir();
    writeFileSync(
      join(dataDir, "config.json"),
      JSON.stringify({ secrets: "redact", project: "shop", event: { output: "stdout" } }),
    );
    const box = await openBox({ dataDir, project: "bank" });
    const { sessionId } = await box.call("start_new");
    await box.call("thought", { sessionId, thought: "key AKIAIOSFODNN7EXAMPLE" });
    expect(await box.call("session.get", { sessionId })).toMatchObject({ session: { project: "bank" } });
    const { thoughts } = (await box.call("read_thoughts", { sessionId })) as {
      thoughts: { thought: string }[];
    };
    expect(thoughts[0]?.thought).not.toContain("AKIAIOSFODNN7EXAMPLE");
  });

  test("the environment applies if it is given", async () => {
    const dataDir = join(tempDir(), "data");
    const box = await openBox({ env: { THOUGHTBOX_DATA_DIR: dataDir, THOUGHTBOX_PROJECT: "shop" } });
    expect(await box.call("start_new")).toMatchObject({ session: { project: "shop" } });
    expect(existsSync(join(dataDir, "thoughtbox.db"))).toBe(true);
  });

  test("an export from a box in memory is written below its dataDir", async () => {
    const dataDir = tempDir();
    const box = await openBox({ storage: "memory", dataDir });
    const { sessionId } = await box.call("thought", { sessionTitle: "T", thought: "one" });
    const { path } = await box.call("session.export", { sessionId, destination: "one.json" });
    expect(path).toBe(join(dataDir, "exports", "one.json"));
    expect(JSON.parse(readFileSync(String(path), "utf8"))).toMatchObject({ nodes: [{}] });
  });
});

describe("around a call", () => {
  test("a program can change an answer without changing the box", async () => {
    const box = await openBox();
    const { sessionId } = await box.call("thought", {
      sessionTitle: "T",
      sessionTags: ["kept"],
      thought: "one",
    });
    const ask = async () => ({
      help: await box.call("help", { topic: "thought" }),
      models: await box.call("mental_models.list_models", { sessionId }),
      cipher: await box.call("cipher", { sessionId }),
    });
    const first = await ask();
    const before = structuredClone(first);
    spoil(first);
    expect(await ask()).toEqual(before);
    await box.close();
  });

  test("subscribe delivers events of the chosen types until it is stopped", async () => {
    const box = await openBox();
    const seen: ThoughtboxEvent[] = [];
    const stop = box.subscribe((event) => seen.push(event), ["session_started", "thought_added"]);
    const { sessionId } = await box.call("start_new", { sessionTitle: "Heard" });
    await box.call("thought", { sessionId, thought: "one" });
    stop();
    await box.call("thought", { sessionId, thought: "two" });
    await box.close();
    expect(seen.map(({ type }) => type)).toEqual(["session_started", "thought_added"]);
    expect(seen[1]).toMatchObject({ sessionId, data: { thoughtNumber: 1, thought: "one" } });
  });

  test("close delivers the remaining events", async () => {
    const box = await openBox();
    const seen: string[] = [];
    box.subscribe(({ type }) => seen.push(type));
    void box.call("start_new");
    await box.close();
    expect(seen).toContain("session_started");
  });

  test("a custom critic is asked once, and its critique is recorded", async () => {
    const prompts: string[] = [];
    const box = await openBox({
      critic: async ({ text }) => {
        prompts.push(text);
        return { text: "And the proxy?", model: "mine-1" };
      },
    });
    const answer = await box.call("thought", { sessionTitle: "T", thought: "It is DNS", critique: true });
    expect(answer).toMatchObject({ thoughtNumber: 1, critique: { text: "And the proxy?", model: "mine-1" } });
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain("It is DNS");
    const { sessionId } = answer;
    expect(await box.call("get_structure", { sessionId })).toMatchObject({ totalThoughts: 1 });
  });

  test.each([
    ["throws", () => Promise.reject(new Error("out of tokens")), "out of tokens"],
    ["returns nothing", async () => ({ text: "", model: "m" }), "the critic returned no text"],
  ])("a critic that %s loses the critique, not the thought", async (_, critic, words) => {
    const box = await openBox({ critic });
    const answer = await box.call("thought", { sessionTitle: "T", thought: "kept", critique: true });
    expect(answer).toMatchObject({ thoughtNumber: 1, warnings: [{ code: "CRITIQUE_FAILED" }] });
    expect(JSON.stringify(answer)).toContain(words);
  });

  test("a method calls its operation, with every field in camelCase", async () => {
    const box = await openBox();
    const { sessionId } = await box.thoughts.add({ thought: "The pool runs dry", sessionTitle: "Why?" });
    expect(await box.sessions.search({ query: "pool" })).toMatchObject({ hits: [{ sessionId }] });
    expect(await box.notes.add({ content: "one", agentId: "ada" })).toMatchObject({
      entry: { agentId: "ada", tsMs: expect.any(Number) },
    });
    const { entry } = await box.call("notes_commit", { content: "two", agent_id: "ada" });
    expect(entry).toMatchObject({ agent_id: "ada", ts_ms: expect.any(Number) });
    expect(await failure(box.notes.add({ content: "one", agentName: "ada" }))).toMatchObject({
      code: "INVALID_PAYLOAD",
    });
    expect(await box.open({ id: sessionId })).toMatchObject({ kind: "session" });
  });

  test("no two fields of an operation get the same name in camelCase", () => {
    const clashes: string[] = [];
    let seen = 0;
    const walk = (where: string, schema: any): void => {
      if (typeof schema !== "object" || schema === null) return;
      const fields = Object.keys(schema.properties ?? {});
      seen += fields.length;
      const spelled = fields.map((field) => field.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));
      if (new Set(spelled).size < fields.length) clashes.push(`${where}: ${fields}`);
      for (const inner of [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])])
        walk(where, inner);
      walk(where, schema.items);
      walk(where, schema.additionalProperties);
      if (schema.$ref !== undefined || schema.allOf !== undefined || schema.oneOf !== undefined)
        clashes.push(`${where}: a form that methods do not read`);
    };
    for (const operation of catalogue) {
      const { inputSchema, outputSchema } = describeOperation(operation);
      walk(operation.name, inputSchema);
      walk(operation.name, outputSchema);
    }
    expect(clashes).toEqual([]);
    expect(seen).toBeGreaterThan(1_000);
  });

  test("keys that are data are not changed", async () => {
    const box = await openBox();
    const { sessionId } = await box.thoughts.add({
      thought: "one",
      sessionTitle: "Keys",
      sessionTags: ["a_b"],
    });
    expect(JSON.stringify(await box.sessions.get({ sessionId }))).toContain("a_b");
    const { taskId, ...created } = (await box.tasks.create({
      title: "Pool",
      steps: [{ title: "measure", successCriteria: ["a figure"] }],
    })) as Record<string, unknown>;
    expect(JSON.stringify([taskId, created])).not.toMatch(/"[a-z]+_[a-z_]+":/);
  });

  test("pages reads every kind of list to its end", async () => {
    const box = await openBox();
    for (const title of ["a", "b", "c", "d", "e"]) {
      await box.thoughts.add({ thought: title, sessionTitle: title });
      await box.notes.add({ content: title });
    }
    const all = async (name: string, args: object, list: string) => {
      const found: unknown[] = [];
      let pages = 0;
      for await (const page of box.pages(name, args as never)) {
        found.push(...(page[list] as unknown[]));
        pages += 1;
      }
      return { found: found.length, pages };
    };
    expect(await all("session.list", { limit: 2 }, "sessions")).toEqual({ found: 5, pages: 3 });
    expect(await all("show", { doc: "notes", limit: 2 }, "entries")).toEqual({ found: 5, pages: 3 });
    expect((await all("changes", { since: 0, limit: 4 }, "changes")).found).toBe(
      ((await box.changes({ since: 0, limit: 100 }))["changes"] as unknown[]).length,
    );
  });

  test("events is a loop that ends with its signal or with the box", async () => {
    const box = await openBox();
    const stopping = new AbortController();
    const heard = { all: [] as string[], some: [] as string[] };
    const loops = [
      (async () => {
        for await (const { type } of box.events()) heard.all.push(type);
      })(),
      (async () => {
        for await (const { type } of box.events(["thought_added"], { signal: stopping.signal })) {
          heard.some.push(type);
          if (heard.some.length === 2) stopping.abort();
        }
      })(),
    ];
    const { sessionId } = await box.thoughts.add({ thought: "one" });
    await box.thoughts.add({ thought: "two", sessionId });
    await loops[1];
    await box[Symbol.asyncDispose]();
    await loops[0];
    expect(heard.some).toEqual(["thought_added", "thought_added"]);
    expect(heard.all).toContain("session_started");
    expect(await failure(box.thoughts.add({ thought: "late" }))).toMatchObject({ code: "STORAGE_ERROR" });
  });

  test("events contains what happens before the loop starts", async () => {
    const box = await openBox();
    const events = box.events(["thought_added"]);
    await box.thoughts.add({ thought: "one" });
    const { value } = await events.next();
    expect(value).toMatchObject({ data: { thought: "one" } });
    await events.return();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test("operations lists the catalogue, with schemas for a model", async () => {
    const { operations } = await openBox();
    expect(operations.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => name));
    expect(operations.find(({ name }) => name === "thought")).toMatchObject({
      effect: "write",
      stage: 2,
      inputSchema: { type: "object", required: ["thought"] },
      outputSchema: { properties: { thoughtNumber: {} } },
    });
    const box = await openBox();
    expect(await box.call(toolName("session.search"), { query: "x" })).toMatchObject({ hits: [] });
  });
});

function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) spoil(member);
  for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
}
