import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import { completeItem } from "../../../src/domain/tasks/item-changes.ts";
import { writeDump } from "../../../src/storage/dump/write-dump.ts";
import { noon, openStore, type StoreName, storeNames } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Commits that share a transaction need few statements, but leave the same rows as single ones. */

const workspace = "acme";
const clock = () => new Date(noon);

const task = (title: string): MemoryStep => ({
  ...{ do: "create_task", creation: { parent: "PLAN-001", title } },
});
const tag = (name: string, force = false): MemoryStep => ({ do: "create_tag", name, seq: 2, force });
const untag = (name: string): MemoryStep => ({ do: "delete_tag", name });
const focus = (target: string): MemoryStep => ({ do: "set_focus", target });
const clear = (was: string): MemoryStep => ({ do: "set_focus", target: undefined, was });
const checkout = (ref: string): MemoryStep => ({ do: "checkout", ref });
const complete = (target: string): MemoryStep => ({
  do: "change_task",
  target,
  decide: (facts) => completeItem(facts, {}),
});

const note = (content: string): MemoryStep => ({
  do: "commit",
  doc: "notes",
  entry: { kind: "note", content },
});

const prepared: readonly MemoryStep[] = [
  note("text"),
  { do: "create_branch", name: "side" },
  { do: "create_task", creation: { title: "A plan" } },
  task("one"),
  task("two"),
  task("three"),
  tag("kept"),
  tag("lost"),
];

/** Each step with the agent that takes it, as `name` or `name@conversation`. */
type Story = readonly (readonly [agent: string, step: MemoryStep])[];

const stories: Record<string, { before?: Story; steps: Story }> = {
  "tags that are set, moved, deleted and set again": {
    steps: [
      ["a", untag("lost")],
      ["b", tag("new")],
      ["a", tag("kept", true)],
      ["c", untag("new")],
      ["b", tag("lost")],
      ["a", tag("other")],
    ],
  },
  "a stored focus that other agents try to clear with the wrong task": {
    before: [["a", focus("TASK-001")]],
    steps: [
      ["b", clear("TASK-002")],
      ["c", clear("TASK-003")],
    ],
  },
  "a stored focus that is cleared": {
    before: [["a", focus("TASK-001")]],
    steps: [
      ["b", clear("TASK-002")],
      ["a", clear("TASK-001")],
    ],
  },
  "a focus that is set, cleared and set again": {
    before: [["a", focus("TASK-001")]],
    steps: [
      ["a", focus("TASK-002")],
      ["b", clear("TASK-001")],
      ["c", clear("TASK-002")],
      ["b", focus("TASK-003")],
      ["b", clear("TASK-001")],
    ],
  },
  "checkouts that switch back and forth": {
    steps: [
      ["a", checkout("side")],
      ["b", checkout("side")],
      ["a", checkout("main")],
      ["c", checkout("side")],
      ["c", checkout("main")],
    ],
  },
  "first writes of agents that share a conversation": {
    steps: [
      ["a@talk", note("of a")],
      ["b@talk", note("of b")],
      ["c@talk", note("of c")],
    ],
  },
  "a focus that an agent sets before it writes": {
    steps: [
      ["a", focus("TASK-001")],
      ["b@talk", checkout("side")],
      ["a", note("of a")],
      ["c@talk", note("of c")],
    ],
  },
  "tasks that are completed while agents have them in focus": {
    before: [
      ["a", focus("TASK-001")],
      ["b", focus("TASK-002")],
      ["c", note("more")],
    ],
    steps: [
      ["d", complete("TASK-001")],
      ["d", complete("TASK-002")],
    ],
  },
  "tasks that are completed in the other order": {
    before: [
      ["a", focus("TASK-001")],
      ["b", focus("TASK-002")],
      ["c", note("more")],
    ],
    steps: [
      ["d", complete("TASK-002")],
      ["d", complete("TASK-001")],
    ],
  },
};

async function tell(backend: StoreName, { before = [], steps }: (typeof stories)[string], isAtOnce: boolean) {
  const store = openStore(backend);
  const commit = ([agent, step]: Story[number]) => {
    const [name = agent, conversation = `by ${agent}`] = agent.split("@");
    return store.memory.commit(workspace, [step], { at: clock(), by: { name, keys: [name, conversation] } });
  };
  await store.memory.commit(workspace, prepared, { at: clock() });
  for (const one of before) await commit(one);
  if (isAtOnce) await Promise.all(steps.map(commit));
  else for (const one of steps) await commit(one);
  const path = join(tempDir(), "dump");
  await writeDump(store, path, clock);
  const uid = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
  return readFileSync(path, "utf8")
    .replaceAll(uid, "uid")
    .split("\n")
    .filter((line) => !line.includes('"end"'))
    .sort();
}

describe.each(storeNames)("simultaneous commits in %s leave the same rows as single ones", (backend) => {
  test.each(Object.keys(stories))("%s", async (name) => {
    const story = stories[name] as (typeof stories)[string];
    const oneByOne = await tell(backend, story, false);
    expect(oneByOne.length).toBeGreaterThan(prepared.length);
    expect(await tell(backend, story, true)).toEqual(oneByOne);
  });
});
