import { once } from "node:events";
import { existsSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAppendFile } from "../../src/events/output/event-output.ts";
import { createLineWriter } from "../../src/events/output/line-writer.ts";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { ofType, readEvents } from "./read-events.ts";

const nextTurn = () => new Promise(setImmediate);
/** Generous limits, so that a slow machine does not fail the test. */
const patient = {
  limits: { waitingChars: Number.POSITIVE_INFINITY, closeMs: 50_000 },
  onTrouble: (thrown: unknown) => expect.unreachable(String(thrown)),
  onDropped: (count: number) => expect.unreachable(`${count} lines were dropped`),
};
const lineOf = (writer: number, number: number) =>
  `${JSON.stringify({ type: "thought_added", data: { writer, number, thought: "x".repeat(number % 300) } })}\n`;

const numbersOf = (path: string, writer: number): number[] =>
  readEvents(path)
    .map(({ data }) => data as unknown as { writer: number; number: number })
    .flatMap((data) => (data.writer === writer ? [data.number] : []));

const counting = (count: number) => Array.from({ length: count }, (_, index) => index);

test("a file that is rotated under load contains every event once", async () => {
  const path = join(tempDir(), "events.jsonl");
  const writer = createLineWriter({
    target: createAppendFile(path, 0),
    ...patient,
  });
  const rotated: string[] = [];
  let sent = 0;
  while (rotated.length < 10) {
    for (const _ of counting(20)) writer.write(lineOf(0, sent++));
    await nextTurn();
    if (!existsSync(path)) continue;
    rotated.push(`${path}.${rotated.length}`);
    renameSync(path, rotated.at(-1) ?? "");
  }
  writer.write(lineOf(0, sent++));
  await writer.close();
  expect([...rotated, path].flatMap((file) => numbersOf(file, 0))).toEqual(counting(sent));
});

test("writers with separate descriptors write only whole lines to a shared file", async () => {
  const path = join(tempDir(), "events.jsonl");
  const writers = counting(4).map(() => createLineWriter({ target: createAppendFile(path), ...patient }));
  for (let number = 0; number < 5_000; number += 1) {
    for (const [writer, { write }] of writers.entries()) write(lineOf(writer, number));
    if (number % 50 === 0) await nextTurn();
  }
  await Promise.all(writers.map(({ close }) => close()));
  for (const writer of counting(4)) expect(numbersOf(path, writer)).toEqual(counting(5_000));
});

test("several servers append to one events file", async () => {
  const dataDir = join(tempDir(), "data");
  const perServer = 200;
  const sessions = await Promise.all(
    counting(3).map(async () => {
      const server = spawnServer(dataDir, { THOUGHTBOX_EVENT_OUTPUT: "file" });
      await server.initialize();
      const { sessionId } = await server.gateway({ operation: "start_new", args: { title: "Shared" } });
      await server.gateway({ operation: "cipher", args: {} });
      const think = (index: number) =>
        server.gateway({ operation: "thought", args: { thought: `${index} ${"x".repeat(index)}` } });
      await Promise.all(counting(perServer).map(think));
      server.child.stdin.end();
      await once(server.child, "close");
      return sessionId as string;
    }),
  );
  const thoughts = ofType(readEvents(join(dataDir, "events.jsonl")), "thought_added");
  for (const session of sessions) {
    const numbers = thoughts.flatMap(({ sessionId, data }) =>
      sessionId === session ? [data.thoughtNumber] : [],
    );
    expect(numbers).toEqual(counting(perServer).map((index) => index + 1));
  }
  expect(statSync(join(dataDir, "events.jsonl")).mode & 0o777).toBe(0o600);
});
