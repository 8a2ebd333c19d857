import { join } from "node:path";
import { expect, test } from "vitest";
import { noCompiler } from "../../support/disk/compile-c.ts";
import { compileShim, createDiskShim, type DiskCall } from "../../support/disk/disk-shim.ts";
import { remains, writeDiskAfterCut } from "../../support/disk/power-cut.ts";
import { checkSession, createOracle, type Oracle } from "../../support/oracle.ts";
import { connectRaw, type RawClient, startThinking } from "../../support/raw-client.ts";
import { enoughTime, gateSeed, reportSoak, times } from "../../support/run/soak.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { eventually } from "../../support/views/tree.ts";

if (noCompiler) process.stderr.write(`skipped: ${noCompiler}\n`);

const cuts = times("power cuts", 8);
/** Texts so long that the log is written back to the database during the test. */
const lengths = [10, 300, 3_000, 150_000];
const thoughts = 120;
const inFlight = 3;

/** Records every disk call and answer of a server, from start to end. */
async function recordServer(library: string) {
  const dataDir = join(tempDir(), "data");
  const shim = createDiskShim(library, dataDir);
  const client = await connectRaw(spawnServer(dataDir, shim.envBeforeReboot), "modern");
  const sessionId = await startThinking(client);
  const oracle = createOracle();
  const write = async (): Promise<void> => {
    while (oracle.sent.size < thoughts) {
      const n = oracle.sent.size;
      const thought = `thought ${n} ${"x".repeat(lengths[n % lengths.length] ?? 0)}`;
      oracle.sent.add(thought);
      const { thoughtNumber } = await client.call("thought", { sessionId, thought });
      oracle.acknowledged.set(thought, thoughtNumber);
      if (n % 20 === 0) await client.call("session", { subOperation: "verify", sessionId });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, write));
  client.server.child.kill("SIGKILL");
  await client.server.exited;
  const calls = shim.calls();
  expect(calls.some(({ call, path }) => call === "write" && path === "thoughtbox.db")).toBe(true);
  return { sessionId, oracle, calls, answers: findAnswers(calls) };
}

/** Finds the call after which each answer was complete. */
function findAnswers(calls: readonly DiskCall[]): { at: number; result: any }[] {
  let text = "";
  return calls.flatMap(({ call, data }, at) => {
    if (call !== "said") return [];
    const lines = (text + data.toString("utf8")).split("\n");
    text = lines.pop() ?? "";
    return lines.map((line) => ({ at, result: JSON.parse(line).result?.structuredContent ?? {} }));
  });
}

type Recording = Awaited<ReturnType<typeof recordServer>>;

/** Returns the thoughts acknowledged by then, or `undefined` if not even the session was. */
function promisedBy({ sessionId, oracle, answers }: Recording, cut: number): Oracle | undefined {
  const results = answers.filter(({ at }) => at < cut).map(({ result }) => result);
  if (!results.some((result) => result.sessionId === sessionId)) return undefined;
  const numbers = new Set(results.map(({ thoughtNumber }) => thoughtNumber));
  const acknowledged = [...oracle.acknowledged].filter(([, number]) => numbers.has(number));
  return { sent: oracle.sent, acknowledged: new Map(acknowledged) };
}

/** Expects the server to restore the JSON files soon after a power cut, which may have damaged them. */
async function expectTreeToComeBack(client: RawClient, sessionId: string): Promise<void> {
  await eventually(async () => {
    const { valid, chain } = await client.call("session", { subOperation: "verify", sessionId });
    expect(chain.valid).toBe(true);
    return valid;
  });
}

async function checkAfterCut(dataDir: string, sessionId: string, promised: Oracle | undefined) {
  const client = await connectRaw(spawnServer(dataDir), "modern");
  if (promised) {
    await expectTreeToComeBack(client, sessionId);
    await checkSession(client, sessionId, promised);
  }
  const next = await startThinking(client);
  expect((await client.call("thought", { sessionId: next, thought: "goes on" })).thoughtNumber).toBe(1);
  client.server.child.kill("SIGKILL");
  await client.server.exited;
}

test.skipIf(noCompiler)(
  `${cuts} power cuts at any call lose no acknowledged thought, whatever happens to unsynced data`,
  { timeout: enoughTime(cuts, 3_000) },
  async () => {
    const seed = gateSeed;
    const random = seededRandom(seed);
    const recording = await recordServer(compileShim());
    const { calls, answers, sessionId } = recording;
    let [lost, checked] = [0, 0];
    for (let n = 0; n < cuts; n += 1) {
      const anywhere = Math.floor(random() * calls.length);
      const afterAnswer = (answers[Math.floor(random() * answers.length)]?.at ?? 0) + 1;
      const cut = n % 2 === 0 ? afterAnswer : anywhere;
      const kind = remains[n % 3 === 0 ? 0 : Math.floor(random() * remains.length)] ?? "nothing";
      const dataDir = join(tempDir(), "data");
      lost += writeDiskAfterCut(dataDir, { calls: calls.slice(0, cut), remains: kind, random });
      const promised = promisedBy(recording, cut);
      checked += promised?.acknowledged.size ?? 0;
      await checkAfterCut(dataDir, sessionId, promised).catch((thrown: Error) => {
        throw new Error(`seed ${seed}, cut ${n} at call ${cut} of ${calls.length}, ${kind} remains`, {
          cause: thrown,
        });
      });
    }
    expect(lost, "no cut took anything away").toBeGreaterThan(cuts);
    expect(checked, "no cut came after an acknowledgement").toBeGreaterThan(cuts);
    reportSoak(
      "power cuts (replayed)",
      `${cuts} cuts, ${checked} acknowledged thoughts checked, none lost, seed ${seed}`,
    );
  },
);
