import { afterAll, describe, expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { forAll } from "../support/for-all.ts";
import { fillIn, situations } from "../support/situations.ts";
import { createTestApp, startThinking } from "../support/test-app.ts";

/** Patterns that match only names. */
const forms = [
  /^(?:CARD|PLAN|TASK|STEP|JOB|CONFLICT)-[A-Za-z0-9-]+(?:@\d+)?$/,
  /^evt_\d{16}$/,
  /^a:[a-z0-9][a-z0-9-]*$/,
  /^[A-Za-z0-9][\w.-]*@\d+$/,
  /^(?:session\/)?[0-9a-f]{8}-[0-9a-f-]{27}(?::[a-z0-9-]+)?(?::\d+)?$/,
];

/** Fields that contain only names. */
const named = [
  "id",
  "branch",
  "base_branch",
  "checkout",
  "current",
  "previous",
  "from",
  "to",
  "into",
  "name",
];

/** Fields to skip, because advice is tried separately and texts are not names. */
const passedOver = [
  ...["suggestions", "warnings", "recovery", "args", "calls", "content", "text", "meta", "data"],
  // Documents are read with show and graph_query.
  ...["doc", "docs", "notes_doc", "trace_doc", "graph_doc", "child_trace_doc", "child_graph_doc"],
];

type Json = Record<string, unknown>;

/** Returns everything in an answer that a caller might want to open. */
function idsIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") {
    if (key === "runner_id") return [`runner:${value}`];
    return named.includes(key) || forms.some((form) => form.test(value)) ? [value] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(item, key));
  if (typeof value !== "object" || value === null) return [];
  const { doc, seq, kind } = value as Json;
  const entry =
    typeof doc === "string" && typeof seq === "number" && kind !== undefined ? [`${doc}@${seq}`] : [];
  const members = Object.entries(value).filter(([name]) => !passedOver.includes(name));
  return [...entry, ...members.flatMap(([name, member]) => idsIn(member, name))];
}

/** Fields that name something that is gone, never existed, or is not part of the workspace. */
const gone: Readonly<Record<string, readonly string[]>> = {
  branch_rename: ["previous"],
  tag_delete: ["name"],
  status: ["defaults"],
  think_template: ["template"],
  think_playbook: ["name"],
};

const examples = catalogue
  // Transcripts are files from other programs, and so are the IDs in them.
  .filter(({ name, family }) => family === "memory" && !name.startsWith("transcripts_"))
  .flatMap(({ name, examples }) => examples.map((example) => ({ name, ...example })));

const opened = new Set<string>();

test("every ID in an answer can be opened", async () => {
  await forAll(
    examples,
    ({ name, title }) => `${name}: ${title}`,
    async ({ name, given, input }) => {
      const app = createTestApp();
      const situation = given === undefined ? { client: app.modern() } : await situations[given]?.(app);
      if (!situation) throw new Error(`there is no situation ${given}`);
      const { client } = situation;
      const answer: Json = await client.call(name, fillIn(input, situation));
      const shown = Object.fromEntries(
        Object.entries(answer).filter(([field]) => !gone[name]?.includes(field)),
      );
      for (const id of new Set(idsIn(shown))) {
        const { workspace } = input as { workspace?: string };
        const { kind } = await client.call("open", { id, ...(workspace !== undefined && { workspace }) });
        opened.add(String(kind));
      }
      await app.close();
    },
  );
}, 300_000);

afterAll(() => {
  const kinds = ["anchor", "branch", "card", "conflict", "doc_entry", "graph_version", "job", "job_event"];
  expect([...opened].sort()).toEqual(
    [...kinds, "node", "plan", "runner", "session", "step", "tag", "task", "task_event", "thought"].sort(),
  );
});

describe("opening something by each of its names", () => {
  test("opens a thought by its session, branch and number, and by its place in the trace", async () => {
    const client = createTestApp().modern();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "One" });
    await client.call("thought", { sessionId, thought: "Or", branchFromThought: 1, branchId: "alt" });
    const { entries } = await client.call("show", { branch: `session/${sessionId}` });
    const [first, second] = entries;
    expect((await client.call("open", { id: `${sessionId}:1` })).entry.content).toBe("One");
    expect(
      (await client.call("open", { id: `${sessionId}:alt:${second.meta.thoughtNumber}` })).entry.content,
    ).toBe("Or");
    for (const { seq, content } of [first, second])
      expect(await client.call("open", { id: `trace@${seq}` })).toMatchObject({
        kind: "thought",
        ref: `trace@${seq}`,
        entry: { content },
      });
    expect(await client.refusal("open", { id: `${sessionId}:other:1` })).toMatchObject({
      code: "UNKNOWN_ID",
    });
  });

  test("opens an entry by its number alone, unless a node has that name", async () => {
    const client = createTestApp().modern();
    const { entry } = await client.call("notes_commit", { content: "x" });
    expect(await client.call("open", { id: String(entry.seq) })).toMatchObject({ ref: `notes@${entry.seq}` });
    await client.call("graph_apply", { ops: [{ op: "node_upsert", id: String(entry.seq), type: "fact" }] });
    const { kind } = await client.call("open", { id: String(entry.seq) });
    expect(kind).toBe("node");
    opened.add(kind);
  });

  test("reports a deleted branch as deleted, and does not open its entries", async () => {
    const client = createTestApp().modern();
    await client.call("init", {});
    await client.call("branch_create", { name: "try" });
    const { entry } = await client.call("notes_commit", { branch: "try", content: "x" });
    expect(await client.call("open", { id: "try" })).toMatchObject({ kind: "branch", checked_out: false });
    await client.call("branch_delete", { name: "try" });
    expect(await client.call("open", { id: "try" })).toMatchObject({ deleted_at_ms: expect.any(Number) });
    await client.refusal("open", { id: `notes@${entry.seq}` });
  });
});

describe("opening a task, a job and a runner", () => {
  test("shows the current state of a task and does not move the focus", async () => {
    const app = createTestApp();
    const situation = await situations["a task in focus"]?.(app);
    const client = situation?.client ?? app.modern();
    await client.call("tasks_focus_clear", {});
    const task = await client.call("open", { id: "TASK-001", max_chars: 4_000 });
    expect(task).toMatchObject({
      kind: "task",
      target: { title: "Find what holds the connections" },
      reasoning_ref: { branch: "task/TASK-001" },
      capsule: { where: { target: "TASK-001" }, next: { title: expect.any(String) } },
      step_focus: { path: "s:0" },
      degradation: { view: "focus_only", full: { operation: "tasks_resume_super" } },
    });
    const small = await client.call("open", { id: "TASK-001", max_chars: 300 });
    expect(small).toMatchObject({ capsule: { next: { title: expect.any(String) } }, truncated: true });
    expect((await client.call("tasks_focus_get", {})).focus).toBeNull();
  });

  test("shows the prompt of a job only with include_drafts, and an event with the events before it", async () => {
    const app = createTestApp();
    const situation = await situations["a claimed job"]?.(app);
    const client = situation?.client ?? app.modern();
    expect(await client.call("open", { id: "JOB-001" })).not.toHaveProperty("prompt");
    const { prompt, events } = await client.call("open", { id: "JOB-001", include_drafts: true });
    expect(prompt).toBe("Try to break it.");
    const last = await client.call("open", { id: events.at(-1).ref });
    expect(last).toMatchObject({
      kind: "job_event",
      event: { ref: events.at(-1).ref },
      job: { id: "JOB-001" },
    });
    expect(last.context.events).toHaveLength(events.length - 1);
    expect(await client.refusal("open", { id: "JOB-001@999999" })).toMatchObject({ code: "UNKNOWN_ID" });
  });

  test("shows a runner as offline only after its lease has expired", async () => {
    let now = Date.parse("2026-01-01T12:00:00Z");
    const client = createTestApp({ clock: () => new Date(now) }).modern();
    await client.call("tasks_runner_heartbeat", { runner_id: "r1", status: "live", lease_ttl_ms: 1_000 });
    expect(await client.call("open", { id: "runner:r1" })).toMatchObject({
      status: "live",
      lease: { lease_active: true, expires_in_ms: 1_000 },
    });
    now += 1_000;
    expect(await client.call("open", { id: "runner:r1" })).toMatchObject({
      status: "offline",
      lease: { status: "live", lease_active: false, expires_in_ms: 0 },
    });
  });
});

describe("an entry that is longer than an answer", () => {
  test("can be read to its end in parts, without gaps or repetitions", async () => {
    const client = createTestApp().modern();
    const content = Array.from({ length: 900 }, (_, n) => `Zeile ${n} 😀 "${n}"`).join("\n");
    const { entry } = await client.call("notes_commit", { content });
    let call: Json = { id: `notes@${entry.seq}`, max_chars: 2_500 };
    let read = "";
    for (;;) {
      const { entry: part, next_offset, content_chars, suggestions } = await client.call("open", call);
      read += next_offset === undefined ? part.content : part.content.replace(/…$/, "");
      if (next_offset === undefined) break;
      expect({ next_offset, content_chars }).toEqual({
        next_offset: read.length,
        content_chars: content.length,
      });
      call = suggestions[0].args;
    }
    expect(read).toBe(content);
  });

  test("never shows part of a secret, at any offset", async () => {
    const client = createTestApp().modern();
    const secret = `ghp_${"aB3dE6gH9k".repeat(4)}`.slice(0, 40);
    const { entry } = await client.call("notes_commit", { content: `before ${secret} after` });
    for (let offset = 0; offset < 60; offset += 1) {
      const shown = await client.call("open", { id: `notes@${entry.seq}`, offset });
      expect(JSON.stringify(shown)).not.toContain(secret.slice(20, 30));
    }
  });
});
