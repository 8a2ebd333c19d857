import { describe, expect, onTestFinished, test } from "vitest";
import { type Era, openHttpDoor, type RealConnection } from "../support/real-door.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Each client uses three connections while it is connecting, and the server accepts 32 per address. */
const clients = 8;
const rounds = 8;
const eras = ["legacy", "modern"] as const;

async function connectAll(eraOf: (index: number) => Era, count = clients): Promise<RealConnection[]> {
  const door = await openHttpDoor(tempDir(), {});
  onTestFinished(() => door.close());
  return Promise.all(Array.from({ length: count }, (_, index) => door.connect(eraOf(index), undefined)));
}

async function resultOf(connection: RealConnection, name: string, args: object): Promise<any> {
  const reply = await connection.call(name, args);
  if (reply.kind !== "result") throw new Error(`${name} answered ${JSON.stringify(reply)}`);
  return reply.result;
}

/** Records thoughts in its own session and reads them back. */
async function think(connection: RealConnection, era: Era, name: string): Promise<string[]> {
  const { sessionId } = await resultOf(connection, "start_new", { sessionTitle: name });
  // A legacy connection remembers its session. If clients were mixed up, the thoughts would be in another
  // client's session.
  const here = era === "legacy" ? {} : { sessionId };
  await resultOf(connection, "cipher", here);
  for (let round = 1; round <= rounds; round += 1) {
    const answer = await resultOf(connection, "thought", { ...here, thought: `${name}, thought ${round}` });
    expect(answer).toEqual({ sessionId, thoughtNumber: round });
  }
  const { thoughts } = await resultOf(connection, "read_thoughts", { ...here, last: rounds + 1 });
  return thoughts.map(({ thought }: { thought: string }) => thought);
}

describe("concurrent clients", () => {
  test.each<[string, (index: number) => Era]>([
    ["all legacy", () => "legacy"],
    ["all modern", () => "modern"],
    ["of both eras", (index) => eras[index % 2] ?? "legacy"],
  ])("(%s) see only their own answers and sessions", async (_which, eraOf) => {
    const connections = await connectAll(eraOf);
    const read = await Promise.all(
      connections.map((connection, index) => think(connection, eraOf(index), `client ${index}`)),
    );
    const expected = connections.map((_, index) =>
      Array.from({ length: rounds }, (_round, round) => `client ${index}, thought ${round + 1}`),
    );
    expect(read).toEqual(expected);
  });

  test("can use the same request ID without mixing up the answers", async () => {
    // Every client counts its requests from the same number, so the server often sees equal IDs at the same time.
    const connections = await connectAll((index) => eras[index % 2] ?? "legacy");
    const titles = await Promise.all(
      connections.map(async (connection, index) => {
        const { session } = await resultOf(connection, "start_new", { sessionTitle: `title ${index}` });
        return session.title;
      }),
    );
    expect(titles).toEqual(connections.map((_, index) => `title ${index}`));
  });

  test("do not inherit a stage or a session from one another", async () => {
    const [first, second] = (await connectAll(() => "legacy", 2)) as [RealConnection, RealConnection];
    await resultOf(first, "start_new", {});
    await resultOf(first, "cipher", {});
    expect(await resultOf(second, "get_state", {})).toMatchObject({ stage: 0, sessionId: null });
    const early = { operation: "thought", thought: "whose?" };
    expect(await second.call("thoughtbox_gateway", early)).toMatchObject({
      error: { code: "STAGE_REQUIREMENT_NOT_MET" },
    });
  });
});

test("one client's calls run concurrently, and each gets its own answer", async () => {
  const [connection] = (await connectAll(() => "modern", 1)) as [RealConnection];
  const { sessionId } = await resultOf(connection, "start_new", {});
  await resultOf(connection, "cipher", { sessionId });
  const texts = Array.from({ length: 20 }, (_, index) => `thought ${index}`);
  const numbers = await Promise.all(
    texts.map(
      async (thought) => (await resultOf(connection, "thought", { sessionId, thought })).thoughtNumber,
    ),
  );
  expect([...numbers].sort((a, b) => a - b)).toEqual(texts.map((_, index) => index + 1));
  const { thoughts } = await resultOf(connection, "read_thoughts", { sessionId, last: 20 });
  for (const { thoughtNumber, thought } of thoughts)
    expect(numbers[texts.indexOf(thought)]).toBe(thoughtNumber);
});
