import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { quote } from "../../kernel/text.ts";
import { type DumpLine, parseDumpLine } from "./dump-line.ts";

const tailBytes = 4_096;

export type NumberedLine = { number: number; line: DumpLine | undefined; text: string };

/** The last line of a dump counts what came before it; without one, the file is no dump or was cut short. */
export async function readEnd(path: string): Promise<Extract<DumpLine, { end: unknown }>["end"]> {
  const last = parseDumpLine((await readTail(path)).trimEnd().split("\n").at(-1) ?? "");
  if (last && "end" in last) return last.end;
  throw new ThoughtboxError(
    "INVALID_PAYLOAD",
    `${quote(path)} is no dump of Thoughtbox, or was cut short; nothing was changed.`,
    { recovery: { hint: "Make a new one with `thoughtbox dump <file>`." } },
  );
}

async function readTail(path: string): Promise<string> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(tailBytes, size));
      await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString("utf8");
    } finally {
      await file.close();
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new ThoughtboxError("INVALID_PAYLOAD", `${quote(path)} cannot be read (${code}).`, {
      cause,
      recovery: { hint: "Name a file that `thoughtbox dump` wrote." },
    });
  }
}

export async function* readLines(path: string): AsyncGenerator<NumberedLine> {
  const input = createReadStream(path, "utf8");
  let number = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    yield { number, text, line: parseDumpLine(text) };
  }
}
