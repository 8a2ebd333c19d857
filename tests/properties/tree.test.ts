import { expect, test } from "vitest";
import { partitionPath } from "../../src/domain/ledger/chain/partition.ts";
import { readCipher } from "../../src/domain/ledger/thought.ts";
import { importTree } from "../../src/storage/tree/import/import-tree.ts";
import fc from "../support/fast-check.ts";
import { startSession, think } from "../support/ledger.ts";
import { noon } from "../support/stores/stores.ts";
import { ledgerContents, openTree } from "../support/views/tree.ts";

type Opened = ReturnType<typeof openTree>;
/** One step. If the rules refuse the step, nothing happens. */
type Step = (opened: Opened, sessions: string[]) => Promise<unknown>;

const text = (maxLength: number) =>
  fc.string({ unit: "grapheme", minLength: 1, maxLength }).filter((given) => !given.includes("\0"));
const time = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2030-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());
const number = fc.integer({ min: 1, max: 9 });
const branch = fc.constantFrom("a", "b-2", "branches", "1", "constructor");
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const one = fc.nat();

const startOne: fc.Arbitrary<Step> = fc
  .record({
    title: text(40),
    description: optional(
      fc.string({ unit: "grapheme", maxLength: 20 }).filter((given) => !given.includes("\0")),
    ),
    tags: fc.array(text(8), { maxLength: 4 }),
    project: fc.constantFrom("_default", "shop", "a.b-c"),
    createdAt: time,
    granularity: fc.constantFrom("monthly", "weekly", "daily", "none"),
    stage: fc.constantFrom(0, 1, 2, 3),
  })
  .map(({ granularity, stage, ...draft }) => async ({ ledger }, sessions) => {
    const partition = partitionPath(new Date(draft.createdAt), granularity);
    const state = { stage, navigation: { task: draft.title } };
    sessions.push(await startSession(ledger, { ...draft, partitionPath: partition, state }));
  });

const thinkOne: fc.Arbitrary<Step> = fc
  .record({
    session: one,
    thought: fc.oneof(text(60), fc.constantFrom("S1|O|seen", "S2|H|S1|guess", "S3|C|S1,S2|so")),
    timestamp: time,
    thoughtNumber: optional(fc.oneof(number, fc.constantFrom(999, 1_000, 1_000_000))),
    totalThoughts: optional(number),
    branchId: optional(branch),
    branchFromThought: optional(number),
    branchFromBranch: optional(branch),
    revisesThought: optional(number),
    nextThoughtNeeded: fc.boolean(),
    needsMoreThoughts: optional(fc.boolean()),
    agentId: optional(fc.constantFrom("ada", "B.o_b-9")),
  })
  .map(({ session, ...thinking }) => async ({ ledger }, sessions) => {
    const id = sessions[session % sessions.length];
    if (id !== undefined) await think(ledger, id, { ...thinking, cipher: readCipher(thinking.thought) });
  });

const changeOne: fc.Arbitrary<Step> = fc
  .record({
    session: one,
    title: text(20),
    at: time,
    stage: fc.constantFrom(1, 2, 3),
    how: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ session, title, at, stage, how }) => async ({ store, tree }, sessions) => {
    const id = sessions[session % sessions.length] ?? "";
    if (how === 0) await store.ledger.updateSession(id, { title, tags: [title] }, at);
    if (how === 1) await store.ledger.saveState(id, { stage, domain: "planning" });
    if (how === 2) await store.ledger.deleteSession(id, at);
    if (how === 3) await store.ledger.restoreSession(id, at);
    if (how === 4) await tree.flush(id);
    if (how === 5) {
      const address = { thoughtNumber: stage };
      await store.ledger.attachCritique({
        ...{ sessionId: id, address, text: title, model: "m", timestamp: at, salt: "s" },
      });
    }
  });

const history = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: startOne },
    { weight: 8, arbitrary: thinkOne },
    { weight: 2, arbitrary: changeOne },
  ),
  { minLength: 1, maxLength: 40 },
);

test("any history is written as a tree that can be imported as the same ledger", async () => {
  await fc.assert(
    fc.asyncProperty(startOne, history, async (first, steps) => {
      const original = openTree({ clock: () => new Date(noon) });
      const copy = openTree();
      try {
        const sessions: string[] = [];
        for (const step of [first, ...steps]) await step(original, sessions).catch(ignoreRefusal);
        await original.tree.flush();
        const report = await importTree(copy.store.imports, original.directory);
        expect(report).toMatchObject({ refused: [], badFiles: [], warnings: [] });
        expect(await ledgerContents(copy.store.ledger)).toEqual(await ledgerContents(original.store.ledger));
      } finally {
        await original.close();
        await copy.close();
      }
    }),
    { numRuns: 40 },
  );
});

function ignoreRefusal(thrown: { code?: string }): void {
  if (!["INVALID_PAYLOAD", "THOUGHT_NOT_FOUND", "SESSION_NOT_FOUND"].includes(thrown.code ?? ""))
    throw thrown;
}
