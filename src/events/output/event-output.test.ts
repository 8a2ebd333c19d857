import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { startedEvent, thoughtEvent } from "../test-support/sample-events.ts";
import {
  createEventOutput,
  createStreamTarget,
  type EventOutputSettings,
  formatEventLine,
} from "./event-output.ts";

const noon = "2026-11-15T12:00:00.000Z";

function openOutput(output: EventOutputSettings["output"], file = "/nowhere/events.jsonl") {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  return {
    streams,
    logged,
    ...createEventOutput({ output, file }, { log, clock: () => new Date(noon), streams }),
  };
}

const parse = (lines: string) =>
  lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test.each(["stdout", "stderr"] as const)(
  "%s gets one line per event, and the other stream gets nothing",
  async (output) => {
    const { write, close, streams } = openOutput(output);
    write(startedEvent());
    write(thoughtEvent());
    await close();
    for (const stream of Object.values(streams)) stream.end();
    expect(parse(await text(streams[output]))).toEqual([startedEvent(), thoughtEvent()]);
    expect(await text(streams[output === "stdout" ? "stderr" : "stdout"])).toBe("");
  },
);

test("a file gets one line per event", async () => {
  const file = join(tempDir(), "events.jsonl");
  const { write, close, logged } = openOutput("file", file);
  write(startedEvent());
  write(thoughtEvent());
  await close();
  expect(parse(readFileSync(file, "utf8"))).toEqual([startedEvent(), thoughtEvent()]);
  expect(logged).toEqual([]);
});

test("accepts events and does nothing without an output", async () => {
  const { write, close, logged } = openOutput("none");
  write(thoughtEvent());
  await close();
  expect(logged).toEqual([]);
});

test("reports an unwritable file once, and counts the lost events in one line", async () => {
  const file = join(tempDir(), "events.jsonl");
  symlinkSync("/dev/null", file);
  const { write, close, logged } = openOutput("file", file);
  write(thoughtEvent(1));
  write(thoughtEvent(2));
  await close();
  const [trouble, notice, ...more] = logged;
  expect(trouble).toBe(`thoughtbox: events are waiting: "${file}" is not writable (ELOOP)\n`);
  expect(JSON.parse(notice ?? "")).toEqual({
    type: "events_dropped",
    timestamp: noon,
    sessionId: null,
    data: { count: 2, output: "file" },
  });
  expect(more).toEqual([]);
});

test("drops and counts events for a stalled reader", async () => {
  const stalled = new Writable({ write: () => {} });
  const logged: string[] = [];
  const { write, close } = createEventOutput(
    { output: "stderr", file: "" },
    {
      log: (line) => void logged.push(line),
      clock: () => new Date(noon),
      streams: { stdout: new PassThrough(), stderr: stalled },
    },
  );
  const sent = 20_000;
  for (let number = 1; number <= sent; number += 1) write(thoughtEvent(number));
  await close();
  expect(stalled.writableLength).toBeLessThan(100_000);
  expect(logged.map((line) => JSON.parse(line).data.count).reduce((a, b) => a + b)).toBe(sent);
});

test("formats an event as one line with type, timestamp, sessionId and data", () => {
  const line = formatEventLine(thoughtEvent(3, "S3|H|why?"));
  expect(Object.keys(JSON.parse(line))).toEqual(["type", "timestamp", "sessionId", "data"]);
  expect(JSON.parse(line)).toEqual(thoughtEvent(3, "S3|H|why?"));
});

test("ends each line once, and the text parses back unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (title) => {
      const line = formatEventLine(startedEvent(title));
      expect(line).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+\n$/u);
      expect(JSON.parse(line).data).toEqual(startedEvent(title).data);
    }),
  );
});

test("escapes everything that a terminal could read as a command", () => {
  const title = "\u001b[2J \u009b2J \u007f \u202e \u{e0041} \u2028 \n 👩‍🚀";
  const line = formatEventLine(startedEvent(title));
  expect(line).toContain(String.raw`\u001b[2J \u009b2J \u007f \u202e \udb40\udc41 \u2028 \n 👩\u200d🚀`);
  expect(JSON.parse(line).data.title).toBe(title);
});

test("a write completes once the stream accepts the lines", async () => {
  const stream = new PassThrough();
  const target = createStreamTarget(stream);
  expect(await target.write(["a\n", "b\n"])).toBe(2);
  stream.end();
  expect(await text(stream)).toBe("a\nb\n");
});

test("a write waits for a slow reader", async () => {
  let taken = () => {};
  const stream = new Writable({ write: (_chunk, _encoding, done) => (taken = () => done()) });
  const writing = createStreamTarget(stream).write(["a\n"]);
  expect(await Promise.race([writing, Promise.resolve("waits")])).toBe("waits");
  taken();
  expect(await writing).toBe(1);
});

test("a reader that disconnects causes no errors in current or later writes", async () => {
  const stream = new Writable({ write: () => {} });
  const target = createStreamTarget(stream);
  const underWay = target.write(["a\n"]);
  stream.destroy(new Error("EPIPE"));
  expect(await underWay).toBe(1);
  expect(await target.write(["b\n", "c\n"])).toBe(2);
});
