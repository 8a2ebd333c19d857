import { constants, createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { codeOf } from "../../disk/open-without-following.ts";
import { createTurns, runAtOnce, runInTurns } from "../../kernel/steps.ts";
import type { RestoreReport } from "../../ports/ledger-dump.ts";
import { storageFailure } from "../../ports/storage-failures.ts";
import { type DumpLine, parseDumpLine } from "./dump-line.ts";

const tailBytes = 4_096;

export type NumberedLine = { number: number; line: DumpLine | undefined; text: string };

/**
 * Reads the last line of a dump, which counts the lines before it. Throws if that line is missing, because
 * the file is not a dump or was cut short.
 */
export async function readEnd(path: string): Promise<Extract<DumpLine, { end: unknown }>["end"]> {
  const last = runAtOnce(parseDumpLine((await readTail(path)).trimEnd().split("\n").at(-1) ?? ""));
  if (last && "end" in last) return last.end;
  throw storageFailure("not_a_dump", { path });
}

async function readTail(path: string): Promise<string> {
  try {
    // Opening a named pipe must not block. Only regular files are read, because reading a pipe would block too.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw Object.assign(new Error("not a file"), { code: "no file" });
      const { size } = stat;
      const buffer = Buffer.alloc(Math.min(tailBytes, size));
      await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString("utf8");
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw storageFailure("dump_unreadable", { path, errno: codeOf(cause) }, cause);
  }
}

/** The maximum length of a line. Enough for the longest text in a store, even with every character escaped. */
const maxLineBytes = 64 * 1024 * 1024;

/** Yields the lines. Stops at a line that is too long for any dump, because the rest of the file could be anything. */
export async function* readLines(path: string, maxBytes = maxLineBytes): AsyncGenerator<NumberedLine> {
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;
  const turn = createTurns();

  async function take(rest: Buffer): Promise<NumberedLine> {
    const text = Buffer.concat([...parts, rest])
      .toString("utf8")
      .replace(/\r$/, "");
    parts = [];
    length = 0;
    number += 1;
    await turn();
    return { number, text, line: await runInTurns(parseDumpLine(text)) };
  }

  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield await take(chunk.subarray(from, end));
      from = end + 1;
    }
    length += chunk.length - from;
    if (length > maxBytes) throw storageFailure("dump_line_too_long", { path, line: number + 1 });
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (length > 0) yield await take(Buffer.alloc(0));
}

export type BadLines = Pick<RestoreReport, "badLines" | "moreBadLines">;

/** The maximum number of bad lines to list. A file that is not a dump may have any number of them. */
const kept = 100;

export function addBadLine(report: BadLines, line: number, problem: string): void {
  if (report.badLines.length < kept) report.badLines.push({ line, problem });
  else report.moreBadLines += 1;
}

/** Sorts bad lines by number, because a problem found at the end of a session may concern an earlier line. */
export function sortBadLines({ badLines }: BadLines): void {
  badLines.sort((one, other) => one.line - other.line);
}
