import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ThoughtDraft } from "../../src/domain/ledger/chain/append.ts";
import fc from "../support/fast-check.ts";
import { connectRaw, type RawClient, startThinking } from "../support/raw-client.ts";
import { enoughTime, gateSeed, reportSoak, times } from "../support/run/soak.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { readSession } from "../support/views/read-session.ts";
import { createRecordingModel } from "./recording-model.ts";

const histories = times("crashing histories", 4);
const seats = 3;

type Draft = Omit<ThoughtDraft, "sessionId" | "thought">;
type Step = {
  seat: number;
  draft: Draft;
  end: "answer" | "kill while it works" | "kill after the answer";
  /** The time of the kill: before, during or after the commit. */
  afterMs: number;
};

const branch = fc.constantFrom("a", "b", "c");
const number = fc.integer({ min: 1, max: 5 });
const draft: fc.Arbitrary<Draft> = fc
  .oneof(
    { weight: 4, arbitrary: fc.record({}) },
    { weight: 2, arbitrary: fc.record({ branchId: branch, branchFromThought: number }) },
    { weight: 2, arbitrary: fc.record({ branchId: branch }) },
    { weight: 2, arbitrary: fc.record({ revisesThought: number }) },
    { weight: 1, arbitrary: fc.record({ thoughtNumber: number }) },
  )
  .map((place) => ({ nextThoughtNeeded: true, ...place }));

const step: fc.Arbitrary<Step> = fc.record({
  seat: fc.nat({ max: seats - 1 }),
  draft,
  afterMs: fc.nat({ max: 5 }),
  end: fc.oneof(
    { weight: 5, arbitrary: fc.constant("answer" as const) },
    { weight: 2, arbitrary: fc.constant("kill while it works" as const) },
    { weight: 1, arbitrary: fc.constant("kill after the answer" as const) },
  ),
});

/** Manages several processes on one store. A killed process is restarted when it is its turn. */
function createSeats(dataDir: string) {
  const clients = new Map<number, RawClient>();

  async function kill(seat: number): Promise<void> {
    const client = clients.get(seat);
    clients.delete(seat);
    client?.server.child.kill("SIGKILL");
    await client?.server.exited;
  }

  return {
    kill,
    killAll: () => Promise.all([...clients.keys()].map(kill)),
    async at(seat: number): Promise<RawClient> {
      const client = clients.get(seat) ?? (await connectRaw(spawnServer(dataDir), "modern"));
      clients.set(seat, client);
      return client;
    },
  };
}

const seen = { recorded: 0, refused: 0, kills: 0, survived: 0, late: 0 };

/**
 * Returns what the store must contain, by text. A process that dies during the sync of the log has written
 * its complete thought, but the other processes do not know the new end of the log. They do not see the
 * thought, and its fate is undecided. If another write takes its place in the log, the thought is gone for
 * ever. If all processes end first, the log is read again and the thought appears.
 */
function createAccount() {
  const model = createRecordingModel();
  const kept = new Set<string>();
  const undecided = new Map<string, Draft>();

  return {
    model,
    /** Records a written thought. After that, no undecided thought can appear. */
    keep(thought: string): void {
      kept.add(thought);
      undecided.clear();
    },
    doubt: (thought: string, draft: Draft) => undecided.set(thought, draft),
    /** Compares what a process sees with what is known. Returns the undecided thought that has appeared, if any. */
    settle(stored: readonly string[]): string | undefined {
      const news = stored.filter((thought) => !kept.has(thought));
      expect(stored.length - news.length, "a thought is lost, or stored twice").toBe(kept.size);
      expect(news.length).toBeLessThanOrEqual(1);
      const [thought] = news;
      if (thought === undefined) return undefined;
      const draft = undecided.get(thought);
      if (!draft) throw new Error(`"${thought}" was refused or given up, and is there`);
      expect(model.record(draft)).toHaveProperty("recorded");
      this.keep(thought);
      return thought;
    },
  };
}

async function run(steps: readonly Step[]): Promise<void> {
  const seated = createSeats(join(tempDir(), "data"));
  const account = createAccount();
  const { model } = account;
  const sessionId = await startThinking(await seated.at(0));
  const settle = async (client: RawClient) =>
    account.settle((await readSession(client, sessionId)).map(([thought]) => thought));
  const settleLate = async (client: RawClient) => {
    if (await settle(client)) seen.late += 1;
  };

  for (const [n, { seat, draft, end, afterMs }] of steps.entries()) {
    const client = await seated.at(seat);
    await settleLate(client);
    const thought = `thought ${n}`;
    // The server reads both messages together, so once it has answered the first, it is already working on
    // the second.
    const awake = client.gateway("get_state", { sessionId });
    const answered = client.gateway("thought", { sessionId, thought, ...draft });
    if (end === "kill while it works") {
      const late = answered.catch(() => undefined);
      await awake;
      await delay(afterMs);
      await seated.kill(seat);
      seen.kills += 1;
      const answer = await late;
      if (!answer?.error) account.doubt(thought, draft);
      const found = await settle(await seated.at((seat + 1) % seats));
      if (answer && !answer.error) expect(found, "an acknowledged thought is lost").toBe(thought);
      if (found === thought) seen.survived += 1;
      else if (found !== undefined) seen.late += 1;
      continue;
    }
    const [expected, [answer]] = [model.record(draft), await Promise.all([answered, awake])];
    if ("refusedWith" in expected) {
      expect(expected.refusedWith).toContain(answer.error?.code);
      seen.refused += 1;
    } else {
      const { thoughtNumber, branchId } = expected.recorded;
      expect({ thoughtNumber: answer.thoughtNumber, branchId: answer.branchId }).toEqual({
        thoughtNumber,
        branchId,
      });
      account.keep(thought);
      seen.recorded += 1;
    }
    if (end === "kill after the answer") {
      await seated.kill(seat);
      seen.kills += 1;
    }
  }
  await seated.killAll();
  const reader = await seated.at(0);
  await settleLate(reader);
  expect(await reader.call("get_structure", { sessionId })).toMatchObject(model.structure());
  const { valid, chain } = await reader.call("session", { subOperation: "verify", sessionId });
  expect({ valid, length: chain.length }).toEqual({ valid: true, length: model.thoughts.length });
  await seated.killAll();
}

test(`${histories} histories of several processes, killed and restarted, end in the state that the model predicts`, {
  timeout: enoughTime(histories, 20_000),
}, async () => {
  const seed = gateSeed;
  const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), run);
  await fc.assert(property, { numRuns: histories, seed, endOnFailure: true });
  expect(Math.min(seen.recorded, seen.kills), `seed ${seed}: too tame`).toBeGreaterThan(histories);
  const { recorded, kills, survived, late } = seen;
  reportSoak(
    "histories with crashes",
    `${histories} histories, ${kills} kills, ${recorded} thoughts acknowledged, ${survived + late} more stored from interrupted calls, seed ${seed}`,
  );
});
