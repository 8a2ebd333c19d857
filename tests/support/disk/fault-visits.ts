import { join } from "node:path";
import { expect } from "vitest";
import { openBareApp } from "../bare-app.ts";
import { checkSession, createOracle, type Oracle } from "../oracle.ts";
import { connectRaw, type RawClient, startThinking } from "../raw-client.ts";
import { times } from "../run/soak.ts";
import { chanceFor } from "../seeded-random.ts";
import { spawnServer } from "../server-process.ts";
import { tempDir } from "../temp-dir.ts";
import { compileShim, createDiskShim, type DiskCall, type DiskFault } from "./disk-shim.ts";

/** The number of calls that get a fault if there are too many calls to test them all. */
export const sampled = times("syscall samples", 6);

/** A call number that is never reached, so that no fault occurs. */
export const never = 1_000_000_000;

export type Order = { at: number; fault: DiskFault; end?: string };
type Book = { sessionId: string; oracle: Oracle };
/** Long texts have their own session, which is read once at the end. */
export type Store = Book & { library: string; dataDir: string; long: Book };

export async function createStore(library: string): Promise<Store> {
  const dataDir = join(tempDir(), "data");
  const server = spawnServer(dataDir);
  const client = await connectRaw(server, "modern");
  const book = async () => ({ sessionId: await startThinking(client), oracle: createOracle() });
  const store = { library, dataDir, ...(await book()), long: await book() };
  server.child.kill("SIGKILL");
  await server.exited;
  return store;
}

export type Act = (client: RawClient, store: Store) => Promise<void>;

/** Writes one thought. Returns the answer's error, if any, or `undefined` if the server died. */
async function write(client: RawClient, { sessionId, oracle }: Book, padding = 0) {
  const thought = `thought ${oracle.sent.size} ${"x".repeat(padding)}`;
  oracle.sent.add(thought);
  const answer = await client.gateway("thought", { sessionId, thought }).catch(ifEnded);
  if (!answer) return undefined;
  if (!answer.error) oracle.acknowledged.set(thought, answer.thoughtNumber);
  else {
    expect(answer.error).toMatchObject({ code: "STORAGE_ERROR", recovery: { hint: expect.any(String) } });
    if (answer.error.message.endsWith("Nothing was changed.")) oracle.sent.delete(thought);
  }
  return { error: answer.error };
}

function ifEnded(thrown: Error): undefined {
  if (!thrown.message.includes("the server ended before it answered")) throw thrown;
}

/** Appends a thought, including the work that follows: the word index and the JSON files. */
export async function appendAndFollow(client: RawClient, store: Store): Promise<void> {
  if (!(await write(client, store))) return;
  const { sessionId } = store;
  const after = [{ subOperation: "search", query: "thought" }, { subOperation: "verify" }];
  for (const args of after) {
    const answer = await client.gateway("session", { sessionId, ...args }).catch(ifEnded);
    expect(answer?.error).toBeUndefined();
  }
}

/** Records texts so long that the log is written back to the database. */
export async function appendUntilWrittenBack(client: RawClient, store: Store): Promise<void> {
  for (let n = 0; n < 5; n += 1)
    if (!(await write(client, store.long, 900_000)) || !(await write(client, store))) return;
}

/**
 * Starts a server on the unrepaired store that earlier visits left behind, and causes the fault during `act`.
 * If the server survives, it must still return everything that it acknowledged.
 */
export async function visit(store: Store, { at, fault, end }: Order, act: Act) {
  const shim = createDiskShim(store.library, store.dataDir);
  const client = await connectRaw(spawnServer(store.dataDir, shim.env), "modern");
  await checkSession(client, store.sessionId, store.oracle);
  expect((await write(client, store))?.error, "a store after a fault takes writes again").toBeUndefined();
  shim.arm(at, fault, end);
  await act(client, store);
  const alive = client.server.child.exitCode === null && client.server.child.signalCode === null;
  if (alive && fault !== "crash" && fault !== "torn") await expectAllToBeRead(client, store);
  client.server.child.kill("SIGKILL");
  await client.server.exited;
  return { calls: shim.armedCalls(), struck: shim.struck() };
}

/** Does not use an export, because a large one is written to a file. */
async function expectAllToBeRead(client: RawClient, { sessionId, oracle }: Store): Promise<void> {
  const { chain } = await client.call("session", { subOperation: "verify", sessionId });
  expect(chain.valid).toBe(true);
  expect(chain.length).toBeGreaterThanOrEqual(oracle.acknowledged.size);
}

/** Returns a store, and the disk calls that `act` makes without a fault. */
export async function survey(act: Act, fault: DiskFault): Promise<{ store: Store; calls: DiskCall[] }> {
  const store = await createStore(compileShim());
  const { calls } = await visit(store, { at: never, fault }, act);
  return { store, calls };
}

/** Makes one visit for each order, and then checks the result of all of them. */
export async function visitAll(store: Store, orders: Order[], act: Act): Promise<DiskCall[]> {
  const struck: DiskCall[] = [];
  for (const order of orders) {
    const outcome = await visit(store, order, act);
    if (outcome.struck) struck.push(outcome.struck);
  }
  await visit(store, { at: never, fault: "EIO" }, act);
  const { client, close } = openBareApp("fs", store.dataDir);
  for (const { sessionId, oracle } of [store, store.long]) await checkSession(client, sessionId, oracle);
  await close();
  return struck;
}

export function pick<Value>(values: readonly Value[], count: number): Value[] {
  const { next } = chanceFor(`${values.length} of which ${count}`);
  return values
    .map((value) => ({ value, at: next() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ value }) => value);
}
export const numbersOf = (calls: readonly unknown[]): number[] => calls.map((_, n) => n + 1);
export const writesOf = (calls: readonly DiskCall[]): number[] =>
  calls.flatMap(({ call }, n) => (call === "write" ? [n + 1] : []));
export const placesFor = (fault: DiskFault, calls: readonly DiskCall[]): number[] =>
  fault === "short" || fault === "torn" ? writesOf(calls) : numbersOf(calls);
