import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { createPackedProject } from "./packed-project.ts";

const project = createPackedProject();

const page = `
import { type ArgumentsOf, createThoughtbox, type ResultOf, type Thoughtbox, ThoughtboxError } from "thoughtbox";

const box: Thoughtbox = await createThoughtbox({ storage: "fs", dataDir: "/tmp/x", project: "shop" });
const { sessionId } = await box.call("start_new", { sessionTitle: "One", tags: ["a"], domain: "debugging" });
const { thoughtNumber, branchId, warnings } = await box.call("thought", {
  sessionId,
  thought: "one",
  branchId: undefined,
});
const three: [number, string | undefined, number] = [thoughtNumber, branchId, warnings?.length ?? 0];
const { stage, sessionId: active } = await box.call("get_state");
const maybe: string | null = active;
const { thoughts } = await box.call("read_thoughts", { sessionId, range: [1, 2] }, { signal: new AbortController().signal });
const texts: string[] = thoughts.map(({ thought }) => thought);
const args: ArgumentsOf<"session.search"> = { query: "pool", limit: 5 };
const found: ResultOf<"session.search"> = await box.connect().call("session.search", args);
const stop: () => void = box.subscribe(
  (event) => {
    if (event.type === "thought_added") event.data.thoughtNumber.toFixed();
  },
  ["thought_added"],
);
const added: number = (await box.thoughts.add({ thought: "two", sessionId })).thoughtNumber;
await box.notes.add({ content: "one", agentId: "ada" });
const noted: number = (await box.notes.add({ content: "one" })).entry.tsMs;
noted.toFixed();
const listed = await box.tasks.list({});
listed satisfies object;
const hits: number = (await box.sessions.search({ query: "pool" }, { signal: AbortSignal.abort() })).hits.length;
for await (const { sessions } of box.pages("session.list", { limit: 5 })) sessions.map(({ id }) => id);
for await (const event of box.events(["thought_added"])) event.data.thoughtNumber.toFixed(added + hits);
const dispose: () => Promise<void> = box[Symbol.asyncDispose];
try {
  await box.close();
} catch (thrown) {
  if (thrown instanceof ThoughtboxError && thrown.code === "STORAGE_ERROR") thrown.recovery?.hint.trim();
}
export { dispose, found, maybe, stage, stop, texts, three };
const opened = await box.open({ id: "h1" });
if (opened.kind === "card") opened.card.id?.length;
if (opened.kind === "session") opened.entries.length;
const known = await box.recall({ question: "why is the pool so large" });
known satisfies object;
await box.tasks.create({ title: "Pool", steps: ["measure", { title: "double it", tests: ["npm test"] }] });
await box.cards.add({ card: { type: "decision", title: "Pool of 80" }, files: ["a.ts", { path: "b.ts", lines: "1-2" }] });
await box.decisions.add({ title: "Pool", chosen: "80", because: "full at noon", rejected: ["Redis: loses data", { option: "Files", why: "slow" }] });
await box.call("tasks_radar", { target: { id: "TASK-001", kind: "task" } });
await box.call("docs_list", { ref: 3 });
await box.call("session.import", { content: { version: 1 } });
`;

const wrong = `
import { createThoughtbox, ThoughtboxError } from "thoughtbox";
const box = await createThoughtbox();
// @ts-expect-error there is no such operation
await box.call("thoughts", {});
// @ts-expect-error thought is required
await box.call("thought", {});
// @ts-expect-error thought is required
await box.thoughts.add({});
// @ts-expect-error methods write fields in camelCase
await box.notes.add({ content: "one", agent_id: "ada" });
// @ts-expect-error and return them in camelCase
(await box.notes.add({ content: "one" })).entry.ts_ms;
// @ts-expect-error the arguments are required
await box.call("thought");
// @ts-expect-error there is no such field
await box.call("thought", { thought: "one", numer: 1 });
// @ts-expect-error not a number
await box.call("read_thoughts", { last: "3" });
// @ts-expect-error not one of the domains
await box.call("start_new", { domain: "cooking" });
// @ts-expect-error not in the answer
(await box.call("thought", { thought: "one" })).number;
// @ts-expect-error may be absent
(await box.call("thought", { thought: "one" })).branchId.length;
// @ts-expect-error only a card has it for certain
(await box.open({ id: "h1" })).card.id;
// @ts-expect-error no such kind
(await box.open({ id: "h1" })).kind === "cart";
// @ts-expect-error neither a title nor a step
await box.tasks.create({ title: "Pool", steps: [1] });
// @ts-expect-error a target has no name
await box.call("tasks_radar", { target: { name: "TASK-001" } });
// @ts-expect-error a title is a text
await box.cards.add({ title: { text: "Pool" } });
// @ts-expect-error no such option
await createThoughtbox({ directory: "/tmp" });
// @ts-expect-error no such code
new ThoughtboxError("BROKEN", "x");
// @ts-expect-error no such event
box.subscribe(() => {}, ["thought"]);
`;

describe("the types of the package, without our sources", () => {
  test("compile with a program", () => {
    expect(project.compile(page)).toBe("");
  });

  test("compile for a bundler and with a browser's library, without Node's types", () => {
    const options = { module: "preserve", moduleResolution: "bundler", types: [], lib: ["es2022", "dom"] };
    expect(project.compile(page, options)).toBe("");
  });

  test("reject mistakes", () => {
    expect(project.compile(wrong)).toBe("");
  });

  test("compile with a CommonJS program, which runs", () => {
    const source = `import { createThoughtbox } from "thoughtbox";
      void createThoughtbox().then(async (box) => {
        const { thoughtNumber } = await box.thoughts.add({ thought: "one" });
        console.log(thoughtNumber.toFixed());
        await box.close();
      });`;
    expect(project.compile(source, { module: "node16", moduleResolution: "node16" }, "page.cts")).toBe("");
    const { stdout, stderr } = project.run(
      'require("thoughtbox").createThoughtbox().then(async (box) => { console.log((await box.thoughts.add({ thought: "one" })).thoughtNumber); await box.close(); });',
      { file: "program.cjs" },
    );
    expect({ stdout, stderr }).toEqual({ stdout: "1\n", stderr: "" });
  });

  test("name the mistake", () => {
    expect(project.compile(page.replace('"start_new"', '"start_old"'))).toContain("start_old");
  });

  test("compile with every example of the catalogue", () => {
    const calls = catalogue.flatMap(({ name, examples }) =>
      examples.map(({ input }) => `await box.call(${JSON.stringify(name)}, ${JSON.stringify(input)});`),
    );
    expect(calls.length).toBeGreaterThanOrEqual(catalogue.length);
    const opening = 'import { createThoughtbox } from "thoughtbox";\nconst box = await createThoughtbox();\n';
    expect(project.compile(opening + calls.join("\n"))).toBe("");
  });
});
