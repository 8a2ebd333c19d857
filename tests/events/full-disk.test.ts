import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAppendFile } from "../../src/events/output/event-output.ts";
import { createLineWriter } from "../../src/events/output/line-writer.ts";
import { mountSmallDisk, noSmallDisk } from "../support/disk/small-disk.ts";
import { readEvents } from "./read-events.ts";

if (noSmallDisk) process.stderr.write(`skipped: ${noSmallDisk}\n`);

test.skipIf(noSmallDisk)(
  "on a full disk, lines stay whole, the oldest events are dropped and counted, and writing resumes",
  async () => {
    const disk = mountSmallDisk(1);
    const path = join(disk.path, "events.jsonl");
    const filler = join(disk.path, "filler");
    writeFileSync(filler, Buffer.alloc(960 * 1024));

    const troubles: string[] = [];
    let dropped = 0;
    const writer = createLineWriter({
      target: createAppendFile(path),
      onTrouble: (thrown) => void troubles.push(String(thrown)),
      onDropped: (count) => {
        dropped += count;
      },
      limits: { waitingChars: 15_000, batchChars: 5_000, retryMs: 1_000_000, longestRetryMs: 1_000_000 },
    });
    let sent = 0;
    function send(): void {
      const data = { number: sent++, thought: "x".repeat(100) };
      writer.write(`${JSON.stringify({ type: "thought_added", data })}\n`);
    }
    while (troubles.length === 0) {
      send();
      await new Promise(setImmediate);
    }
    expect(troubles[0]).toMatch(/ENOSPC|no space/);
    const onFullDisk = numbersOf(path);
    expect(onFullDisk.length).toBeGreaterThan(100);
    for (let more = 0; more < 1_000; more += 1) send();

    rmSync(filler);
    await writer.close();
    const written = numbersOf(path);
    expect(written.slice(0, onFullDisk.length)).toEqual(onFullDisk);
    expect(written.length).toBeGreaterThan(onFullDisk.length);
    expect(written).toEqual([...new Set(written)].sort((a, b) => a - b));
    expect(written.at(-1)).toBe(sent - 1);
    expect(dropped).toBeGreaterThan(0);
    expect(written.length + dropped).toBe(sent);
  },
);

const numbersOf = (path: string): number[] =>
  readEvents(path).map(({ data }) => (data as unknown as { number: number }).number);
