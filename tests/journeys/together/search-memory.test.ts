import { describe, expect, test } from "vitest";
import { createTestApp, doors, startThinking } from "../../support/test-app.ts";

type Hit = { id?: string; memory?: { kind: string; id: string; workspace?: string } } & Record<
  string,
  unknown
>;
type Client = ReturnType<ReturnType<typeof createTestApp>["modern"]>;

const search = async (client: Client, query: string, more: object = {}): Promise<Hit[]> =>
  (await client.call("session.search", { query, ...more })).hits;
const kinds = (hits: readonly Hit[]) => hits.map(({ memory }) => memory?.kind ?? "thought");
const ids = (hits: readonly Hit[]) => hits.map(({ memory }) => memory?.id);

describe.each(doors)("a search of the memory over %s", (backend) => {
  test("finds every kind of item by its words, and every hit can be opened", async () => {
    const client = createTestApp({ backend }).modern();
    const word = "quokka";
    await client.call("think_card", { card: { id: "CARD-D", type: "decision", title: `Feed the ${word}s` } });
    await client.call("graph_apply", {
      ops: [{ op: "node_upsert", id: "n1", type: "fact", text: `A ${word}.` }],
    });
    await client.call("tasks_create", { title: "Zoo", description: `All about ${word}s` });
    await client.call("tasks_create", { parent: "PLAN-001", title: `Weigh a ${word}`, steps: ["Catch it"] });
    await client.call("tasks_jobs_create", { title: "Count", prompt: `Count each ${word}.` });
    const anchor = {
      anchor: "a:zoo",
      title: "Zoo",
      kind: "component",
      description: `Where the ${word} lives`,
    };
    await client.call("macro_anchor_note", { ...anchor, content: "A fence." });
    await client.call("knowledge.create_pattern", {
      title: "Care",
      description: "Daily",
      content: `Brush the ${word}.`,
    });
    await client.call("knowledge.write_scratchpad", { topic: "shift", content: `The ${word} sleeps.` });
    const notebook = await client.call("notebook.create", { name: "Weights", language: "typescript" });
    await client.call("notebook.add_cell", {
      notebookId: notebook.id ?? notebook.notebookId,
      type: "markdown",
      content: `# ${word}`,
    });
    await client.call("notes_commit", { content: `The ${word} bit me.` });
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: `H: the ${word} is hungry` });

    const hits = await search(client, word, { limit: 50 });
    const found = new Set(kinds(hits));
    for (const kind of [
      "card",
      "node",
      "plan",
      "task",
      "job",
      "anchor",
      "pattern",
      "scratchpad",
      "notebook",
      "thought",
    ])
      expect([...found], kind).toContain(kind);
    expect(hits.some(({ note }) => note !== undefined)).toBe(true);
    for (const { id } of hits) if (id !== undefined) await client.call("open", { id });
    const [card] = hits.filter(({ memory }) => memory?.kind === "card");
    expect(card).toMatchObject({
      id: "CARD-D",
      memory: { type: "decision", status: "open", title: `Feed the ${word}s`, branch: "main" },
      matched: [word],
    });
  });

  test("finds a changed card by its new words, and by its old words only with earlier: true", async () => {
    const client = createTestApp({ backend }).modern();
    const write = (title: string, more: object = {}) =>
      client.call("graph_apply", {
        ops: [{ op: "node_upsert", id: "CARD-P", type: "decision", title, ...more }],
      });
    await write("Pool of forty");
    await write("Pool of eighty", { status: "rejected" });
    expect(await search(client, "eighty")).toMatchObject([{ id: "CARD-P", rejected: true }]);
    expect(await search(client, "forty")).toEqual([]);
    const [old, ...others] = await search(client, "forty", { earlier: true });
    expect(others).toEqual([]);
    expect(old).toMatchObject({ earlier: true, memory: { id: "CARD-P", title: "Pool of forty" } });
    expect(await client.call("open", { id: old?.id })).toMatchObject({ node: { title: "Pool of forty" } });
    await client.call("graph_apply", { ops: [{ op: "node_delete", id: "CARD-P" }] });
    expect(await search(client, "eighty")).toEqual([]);
  });

  test("marks a card that is superseded or in conflict, and finds a card on two branches once", async () => {
    const client = createTestApp({ backend }).modern();
    const write = (branch: string, title: string, status = "open") =>
      client.call("graph_apply", {
        branch,
        ops: [{ op: "node_upsert", id: "CARD-W", type: "decision", title: `Wombat ${title}`, status }],
      });
    await write("main", "first");
    await client.call("branch_create", { name: "try" });
    await write("try", "theirs");
    await write("main", "ours", "superseded");
    await client.call("graph_merge", { from: "try", into: "main" });
    expect(await search(client, "wombat")).toMatchObject([
      { memory: { title: "Wombat ours", branch: "main" }, conflict: true, superseded: true },
    ]);
    expect(ids(await search(client, "wombat theirs"))).toEqual(["CARD-W"]);
  });

  test("pages through thoughts and memory without losing or repeating any", async () => {
    const client = createTestApp({ backend }).modern();
    const sessionId = await startThinking(client);
    for (let n = 1; n <= 6; n += 1) {
      await client.call("thought", { sessionId, thought: `Numbat ${n}` });
      await client.call("think_card", { card: { id: `CARD-N${n}`, type: "decision", title: `Numbat ${n}` } });
    }
    for (const order of ["relevance", "newest"]) {
      const whole = await search(client, "numbat", { order, limit: 50 });
      expect(whole).toHaveLength(12);
      const pages: Hit[] = [];
      for (let offset = 0; offset < 12; offset += 5)
        pages.push(...(await search(client, "numbat", { order, limit: 5, offset })));
      expect(
        pages.map(({ id }) => id),
        order,
      ).toEqual(whole.map(({ id }) => id));
    }
  });
});

describe("workspaces of a search", () => {
  async function fill(client: Client, workspace: string, word = "bilby") {
    await client.call("think_card", {
      workspace,
      card: { type: "decision", title: `${word} of ${workspace}` },
    });
    await client.call("notes_commit", { workspace, content: `A ${word} in ${workspace}` });
  }
  const places = (hits: readonly Hit[]) =>
    [
      ...new Set(
        hits.map((hit) => hit.memory?.workspace ?? (hit["note"] as { workspace: string }).workspace),
      ),
    ].sort();

  test("are the caller's own by default, a named one, those of a project, or all", async () => {
    const app = createTestApp({ backend: "fs", env: { THOUGHTBOX_PROJECT: "zoo" } });
    const other = createTestApp({ backend: "fs", dataDir: app.dataDir, env: { THOUGHTBOX_PROJECT: "farm" } });
    const client = app.modern();
    await fill(client, "zoo");
    await fill(client, "zoo/night");
    await fill(other.modern(), "farm");
    expect(places(await search(client, "bilby"))).toEqual(["zoo"]);
    expect(places(await search(client, "bilby", { workspace: "farm" }))).toEqual(["farm"]);
    expect(places(await search(client, "bilby", { workspace: "*" }))).toEqual(["zoo", "zoo/night"]);
    expect(places(await search(client, "bilby", { project: "farm" }))).toEqual(["farm"]);
    expect(places(await search(client, "bilby", { project: "*" }))).toEqual(["farm", "zoo", "zoo/night"]);
  });

  const refused = {
    WORKSPACE_LOCKED: "locked",
    WORKSPACE_NOT_ALLOWED: "not allowed",
    PROJECT_GUARD_MISMATCH: "guarded",
  };
  test.each([
    ["THOUGHTBOX_WORKSPACE_LOCK", "true", ["zoo"], "WORKSPACE_LOCKED"],
    ["THOUGHTBOX_PROJECT_LOCK", "true", ["zoo"], "WORKSPACE_LOCKED"],
    ["THOUGHTBOX_WORKSPACE_ALLOW", "zoo,zoo/night", ["zoo", "zoo/night"], "WORKSPACE_NOT_ALLOWED"],
    ["THOUGHTBOX_PROJECT_GUARD", "", ["zoo", "zoo/night"], "PROJECT_GUARD_MISMATCH"],
  ] as const)("are limited by %s", async (setting, value, reached, code) => {
    const open = createTestApp({ backend: "fs", env: { THOUGHTBOX_PROJECT: "zoo" } });
    await fill(open.modern(), "zoo");
    await fill(open.modern(), "zoo/night");
    const guard = setting === "THOUGHTBOX_PROJECT_GUARD" ? { THOUGHTBOX_PROJECT_GUARD: "ours" } : {};
    const farm = createTestApp({
      backend: "fs",
      dataDir: open.dataDir,
      env: { THOUGHTBOX_PROJECT: "farm", ...guard },
    });
    await fill(farm.modern(), "farm");
    const client = createTestApp({
      backend: "fs",
      dataDir: open.dataDir,
      env: { THOUGHTBOX_PROJECT: "zoo", ...(value && { [setting]: value }) },
    }).modern();
    expect(places(await search(client, "bilby", { project: "*", workspace: "*" }))).toEqual(reached);
    expect(places(await search(client, "bilby", { project: "*" }))).toEqual(reached);
    const refusal = await client.refusal("session.search", { query: "bilby", workspace: "farm" });
    expect(refusal.code, refused[code]).toBe(code);
  });
});

test("a workspace belongs to the project in the address of the client that first wrote to it", async () => {
  const app = createTestApp();
  await app.modern({ project: "kiosk" }).call("notes_commit", { content: "the awning is torn" });
  const found = async (project: string) =>
    (await app.modern().call("session.search", { query: "awning", project })).hits.length;
  expect([await found("kiosk"), await found("_default")]).toEqual([1, 0]);
});

test("a pack from named documents includes the authors of their cards", async () => {
  const client = createTestApp().modern();
  const docs = { graph_doc: "my-cards", trace_doc: "my-story" };
  await client.call("think_card", { ...docs, type: "decision", title: "Pin the resolver", agent_id: "ada" });
  const { signals } = await client.call("context_pack", docs);
  expect(signals.decisions).toMatchObject([{ title: "Pin the resolver", agent_id: "ada" }]);
});
