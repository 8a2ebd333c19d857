import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { tempDir } from "../../../tests/support/temp-dir.ts";
import { startedEvent, thoughtEvent } from "../test-support/sample-events.ts";
import { createEventOutput, type EventOutputSettings } from "./event-output.ts";

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
  "%s gets one line an event, the other stream nothing",
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

test("a file gets one line an event", async () => {
  const file = join(tempDir(), "events.jsonl");
  const { write, close, logged } = openOutput("file", file);
  write(startedEvent());
  write(thoughtEvent());
  await close();
  expect(parse(readFileSync(file, "utf8"))).toEqual([startedEvent(), thoughtEvent()]);
  expect(logged).toEqual([]);
});

test("no output takes events and does nothing", async () => {
  const { write, close, logged } = openOutput("none");
  write(thoughtEvent());
  await close();
  expect(logged).toEqual([]);
});

test("a file that cannot be written is named once, and what was lost is counted in one line", async () => {
  const file = join(tempDir(), "events.jsonl");
  symlinkSync("/dev/null", file);
  const { write, close, logged } = openOutput("file", file);
  write(thoughtEvent(1));
  write(thoughtEvent(2));
  await close();
  const [trouble, notice, ...more] = logged;
  expect(trouble).toBe(`thoughtbox: events wait: "${file}" cannot be written (ELOOP)\n`);
  expect(JSON.parse(notice ?? "")).toEqual({
    type: "events_dropped",
    timestamp: noon,
    sessionId: null,
    data: { count: 2, output: "file" },
  });
  expect(more).toEqual([]);
});

test("a reader who stalls costs nobody anything but the events", async () => {
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
