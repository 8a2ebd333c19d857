import { sha256Hex } from "../../kernel/sha256.ts";
import type { Address } from "../ledger/thought.ts";

/** The hash of a line without its white space: 64 bits as 16 hexadecimal digits. */
export type LineHash = string;

export type EditLine = {
  hash: LineHash;
  /** True if the edit added this line. False for an unchanged context line. */
  written: boolean;
  /** True if the line is long enough to be recognised in another file. */
  long: boolean;
  /** True if this line does not directly follow the previous `EditLine` in the file. */
  begins: boolean;
};

/**
 * `part` numbers the effects of a call, because one patch can change several files. Each pair of `call` and
 * `part` is unique.
 */
type Done = {
  call: string;
  part: number;
  tool: string;
  /** Milliseconds from the call to its result, if the transcript has both times. */
  took?: number | undefined;
};

/** A call's changes to one file: the lines of the new text in order, and the removed lines. */
export type Change = {
  /** The path as the call wrote it: absolute, or relative to a directory that is not recorded. */
  path: string;
  /** The file's path before the call moved it. */
  from?: string | undefined;
  lines: readonly EditLine[];
  removed: readonly LineHash[];
};

export type Edit = Done & Change & { type: "edit"; change: "edit" | "create" | "delete" };

/** Files that were read in a row. `call` is the ID of the first call. Each path is kept once. */
export type Reading = Done & { type: "read"; paths: readonly string[] };

export type Command = Done & {
  type: "command";
  command: string;
  failed: boolean;
  /** Set only if the client recorded this value. */
  exit?: number | undefined;
  /** True if the command ran tests. If so, `failed` means that the tests failed. */
  tests: boolean;
  /** How many tests failed and passed, if the output ends with a known summary. */
  results?: TestResults | undefined;
  /** The abbreviated ID of the commit that the command made. */
  commit?: string | undefined;
};

export type TestResults = { failed: number; passed: number };

/** A call that the user refused. `change` is what the call would have changed. */
export type Refusal = Done & {
  type: "refusal";
  command: string;
  /** The user's own words. Empty if the user gave no reason. */
  said: string;
  change?: Change | undefined;
};

/** A thought that the agent recorded with the `thought` tool, in a session other than this one. */
export type Recording = Done & { type: "record"; recorded: Address & { sessionId: string } };

/** Marks a session that began as a copy of another session. `call` is the original session's ID. */
export type Fork = Done & { type: "fork"; origin: string };

/**
 * A commit that contains work from the session. `call` is the commit's ID. If the commit later disappears
 * from the repository, this row is kept and a second row records what happened.
 */
export type Committed = Done & {
  type: "commit";
  commit: string;
  command: string;
  how: CommitLink;
  /** The repository's first commit. It identifies the repository. */
  origin: string;
  fate?: "rebased" | "vanished" | undefined;
  now?: string | undefined;
};

/** How a commit was matched to a session: by the lines it added, or by a trailer. */
export type CommitLink = "edits" | "trailer";

/**
 * What Thoughtbox told an agent before a call. If `denied` is set, the notice also blocked the first attempt.
 */
export type Notice = Done & { type: "notice"; command: string; said: string; denied: boolean };

export const actionTypes = [
  "edit",
  "command",
  "refusal",
  "record",
  "fork",
  "notice",
  "commit",
  "read",
] as const;

export type Action = Edit | Command | Refusal | Recording | Fork | Notice | Committed | Reading;

export const actionLimits = {
  path: 1_024,
  command: 400,
  said: 2_000,
  /** The maximum number of stored lines per file and call. Further lines are dropped. */
  lines: 20_000,
  parts: 200,
  /** The maximum number of files in one `read` action. Further files start another action. */
  paths: 200,
  /** A month, in milliseconds. A longer duration is discarded, because a timestamp must be wrong. */
  took: 31 * 24 * 60 * 60_000,
  /** The maximum number of characters that are hashed per line. */
  lineChars: 10_000,
  /** The minimum length, in characters, of a line that can be recognised in another file. */
  longLine: 12,
} as const;

const white = /\s+/g;

/** Removes white space, so that a line still compares as equal after re-indentation. */
export const bareLine = (line: string): string => line.slice(0, actionLimits.lineChars).replace(white, "");

export const hashBareLine = (bare: string): LineHash => sha256Hex(bare).slice(0, 16);

export const hashLine = (line: string): LineHash => hashBareLine(bareLine(line));

export function toEditLine(line: string, written: boolean, begins: boolean): EditLine {
  const bare = bareLine(line);
  return { hash: hashBareLine(bare), written, begins, long: bare.length >= actionLimits.longLine };
}

export function splitText(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const bytesPerLine = 9;
const bits = { written: 1, long: 2, begins: 4 } as const;

/** Packs each line into nine bytes: the hash and its flags. */
export function packLines(lines: readonly EditLine[]): Uint8Array {
  const packed = Buffer.alloc(lines.length * bytesPerLine);
  lines.forEach(({ hash, written, long, begins }, index) => {
    packed.write(hash, index * bytesPerLine, 8, "hex");
    const flags = (written ? bits.written : 0) | (long ? bits.long : 0) | (begins ? bits.begins : 0);
    packed[index * bytesPerLine + 8] = flags;
  });
  return packed;
}

/** Reverses `packLines`. Ignores an incomplete line at the end. */
export function unpackLines(packed: Uint8Array): EditLine[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const hex = bytes.toString("hex");
  const lines: EditLine[] = [];
  for (let at = 0; at + bytesPerLine <= bytes.length; at += bytesPerLine) {
    const flags = bytes[at + 8] ?? 0;
    lines.push({
      hash: hex.slice(2 * at, 2 * at + 16),
      written: (flags & bits.written) !== 0,
      long: (flags & bits.long) !== 0,
      begins: (flags & bits.begins) !== 0,
    });
  }
  return lines;
}

export const packHashes = (hashes: readonly LineHash[]): Uint8Array => Buffer.from(hashes.join(""), "hex");

export function unpackHashes(packed: Uint8Array): LineHash[] {
  const hex = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength).toString("hex");
  return hex.match(/.{16}/g) ?? [];
}
