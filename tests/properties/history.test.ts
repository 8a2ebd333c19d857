import { join } from "node:path";
import { expect, test } from "vitest";
import type { ThoughtDraft } from "../../src/domain/ledger/chain/append.ts";
import { describeStructure } from "../../src/domain/ledger/chain/structure.ts";
import type { ChainedThought } from "../../src/domain/ledger/thought.ts";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import type { AppendReceipt, LedgerStore } from "../../src/ports/ledger-store.ts";
import fc from "../support/fast-check.ts";
import { allEntries, startSession, think, verifyChain } from "../support/ledger.ts";
import { lastingStores, openStore, referenceStore } from "../support/stores/stores.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createRecordingModel, type ModelOutcome, type ModelThought } from "./recording-model.ts";

type Draft = Omit<ThoughtDraft, "sessionId">;

const id = "5f6fb6f2-3c4b-4f0e-9a53-0d6c6a1f6f00";
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>, percent: number) =>
  fc.oneof({ weight: 100 - percent, arbitrary: fc.constant(undefined) }, { weight: percent, arbitrary });
const branchName = fc.constantFrom("a", "b", "c", "d", "e", "f", "constructor", "branch-1");
const upTo = (max: number) => fc.integer({ min: 1, max });

/** Any place. Numbers are small and names are few, so that drafts collide. */
const anyPlace = fc.record({
  thoughtNumber: maybe(upTo(12), 30),
  branchId: maybe(branchName, 50),
  branchFromThought: maybe(upTo(6), 30),
  branchFromBranch: maybe(branchName, 20),
});

/** A draft that may refer to existing thoughts: `aim` picks the recorded thought that it forks from. */
const wishes = fc.array(
  fc.record({
    thought: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    nextThoughtNeeded: fc.boolean(),
    totalThoughts: maybe(upTo(12), 30),
    revisesThought: maybe(upTo(6), 25),
    place: fc.oneof(
      fc.constant({}),
      anyPlace,
      fc.record({ branchId: branchName }),
      fc.record({ branchId: branchName, aim: fc.nat() }),
    ),
  }),
  { minLength: 1, maxLength: 50, size: "max" },
);

type Place = Partial<Draft> & { aim?: number };

function aimAt(recorded: readonly ModelThought[], { aim, ...place }: Place): Partial<Draft> {
  const from = aim === undefined ? undefined : recorded[aim % recorded.length];
  if (!from) return place;
  return { ...place, branchFromThought: from.thoughtNumber, branchFromBranch: from.branchId };
}

test.each(lastingStores)(
  "any history gives the model's ledger, one by one, concurrently and after reopening, in %s",
  async (backend) => {
    const seen = { recorded: 0, refused: 0, branches: 0, nested: 0, revisions: 0 };
    await fc.assert(
      fc.asyncProperty(wishes, async (wanted) => {
        const model = createRecordingModel();
        const expected: ModelOutcome[] = [];
        const history = wanted.map(({ place, ...wish }): Draft => {
          const draft = { ...wish, ...aimAt(model.thoughts, place) };
          expected.push(model.record(draft));
          return draft;
        });
        const directory = join(tempDir(), "data");
        const stores = [
          openStore(referenceStore),
          openStore(backend, { directory }),
          openStore(referenceStore),
        ] as const;
        const [alone, kept, crowd] = [stores[0].ledger, stores[1].ledger, stores[2].ledger];
        for (const store of [alone, kept, crowd]) await startSession(store, { id });

        for (const store of [alone, kept]) {
          for (const [n, draft] of history.entries()) expectSame(expected[n], await attempt(store, draft));
        }
        const atOnce = await Promise.all(history.map((draft) => attempt(crowd, draft)));
        for (const [n, outcome] of atOnce.entries()) expectSame(expected[n], outcome);

        await stores[1].close();
        const again = openStore(backend, { directory });
        const reopened = again.ledger;
        for (const store of [alone, crowd, reopened]) {
          expect(describeStructure(await store.loadIndex(id))).toEqual(model.structure());
          expect(await verifyChain(store, id)).toBe(model.thoughts.length);
          const entries = await allEntries(store, id);
          expect(entries.map(withoutSecrets)).toEqual((await allEntries(alone, id)).map(withoutSecrets));
        }
        await Promise.all([stores[0], stores[2], again].map((store) => store.close()));

        seen.recorded += model.thoughts.length;
        seen.refused += expected.filter((outcome) => "refusedWith" in outcome).length;
        seen.branches += model.structure().branchCount;
        seen.nested += model.thoughts.filter(({ fork }) => fork?.branchId !== undefined).length;
        seen.revisions += model.structure().revisionCount;
      }),
      { numRuns: 150 },
    );
    expect(
      Math.min(...Object.values(seen)),
      `histories were too tame: ${JSON.stringify(seen)}`,
    ).toBeGreaterThan(20);
  },
);

function attempt(store: LedgerStore, draft: Draft): Promise<AppendReceipt | ThoughtboxError> {
  return think(store, id, draft).catch((thrown: unknown) => {
    if (thrown instanceof ThoughtboxError) return thrown;
    throw thrown;
  });
}

function expectSame(expected: ModelOutcome | undefined, actual: AppendReceipt | ThoughtboxError): void {
  if (!expected) throw new Error("the model has no outcome for this draft");
  if ("refusedWith" in expected) {
    expect(actual).toBeInstanceOf(ThoughtboxError);
    expect(expected.refusedWith).toContain((actual as ThoughtboxError).code);
    return;
  }
  if (actual instanceof ThoughtboxError) throw actual;
  const { thoughtNumber, totalThoughts, branchId, revises, branchFromThought, branchFromBranch } =
    actual.entry.data;
  const fork =
    branchFromThought === undefined
      ? undefined
      : { branchId: branchFromBranch, thoughtNumber: branchFromThought };
  expect({ thoughtNumber, totalThoughts, branchId, revises, fork }).toEqual(expected.recorded);
}

/** Removes salts and hashes, which differ between stores. */
function withoutSecrets({ salt: _salt, hash: _hash, prevHash: _prevHash, ...entry }: ChainedThought) {
  return entry;
}
