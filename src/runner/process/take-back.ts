import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import type { Scratch } from "../sandbox/layer.ts";

/** `broken`: the archive was incomplete or could not be written. */
type Arrival = "whole" | "too much" | "broken";

export type TakeBack = {
  receive(archive: Readable): Promise<void>;
  /** Replaces the old files if the archive is complete and `isWanted` is true. If not, nothing changes. */
  finish(isWanted: boolean): Promise<Arrival>;
};

/**
 * Unpacks the archive of a process's scratch folder. The process is not trusted: only files and folders are written,
 * into a new folder, up to the limits of the scratch.
 */
export function createTakeBack(directory: string, scratch: Scratch): TakeBack {
  const place = join(directory, scratch.folder);
  const fresh = `${place}.new`;
  const former = `${place}.old`;
  let arrival: Arrival = "broken";
  return {
    async receive(archive) {
      await rm(fresh, { recursive: true, force: true });
      await mkdir(fresh, { mode: 0o700 });
      arrival = await unpack(archive, fresh, scratch).catch(() => "broken" as const);
      archive.destroy();
    },
    async finish(isWanted) {
      if (isWanted && arrival === "whole") {
        await rm(former, { recursive: true, force: true });
        await rename(place, former);
        await rename(fresh, place);
      }
      for (const path of [fresh, former]) await rm(path, { recursive: true, force: true });
      return arrival;
    },
  };
}

const blockBytes = 512;

async function unpack(archive: Readable, into: string, { bytes, entries }: Scratch): Promise<Arrival> {
  const source = createBlockReader(archive);
  let [written, count] = [0, 0];
  let longName: string | undefined;
  for (;;) {
    const header = await source.take(blockBytes);
    if (header === undefined) return "broken";
    if (header.every((byte) => byte === 0)) return "whole";
    const { name, size, kind } = readHeader(header);
    const padded = Math.ceil(size / blockBytes) * blockBytes;
    count += 1;
    if (kind === "L") {
      if (size > 8_192) return "broken";
      longName = (await source.take(padded))?.subarray(0, size).toString().replace(/\0+$/, "");
      continue;
    }
    written += kind === "0" ? size : 0;
    if (written > bytes || count > entries) return "too much";
    const path = safePath(into, longName ?? name);
    longName = undefined;
    if (kind === "5" && path !== undefined) await mkdir(path, { recursive: true, mode: 0o700 });
    if (kind !== "0" || path === undefined) {
      if (!(await source.pass(padded))) return "broken";
      continue;
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, "wx", 0o600);
    try {
      let left = size;
      const isWhole = await source.pass(padded, async (chunk) => {
        const part = chunk.subarray(0, left);
        left -= part.length;
        await file.writeFile(part);
      });
      if (!isWhole) return "broken";
    } finally {
      await file.close();
    }
  }
}

/** Reads an entry's header. Gives links and devices the kind `other`, which is skipped for safety. */
function readHeader(header: Buffer): { name: string; size: number; kind: "0" | "5" | "L" | "other" } {
  const text = (from: number, length: number) =>
    header.toString("utf8", from, from + length).split("\0")[0] ?? "";
  const isPosix = text(257, 6) === "ustar";
  const prefix = isPosix ? text(345, 155) : "";
  const mark = header[156] === 0 ? "0" : String.fromCharCode(header[156] ?? 0);
  const kind = mark === "0" || mark === "5" || mark === "L" ? mark : "other";
  const name = prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  const size = /^[0-7 ]+$/.test(text(124, 12))
    ? Number.parseInt(text(124, 12).trim(), 8)
    : Number.POSITIVE_INFINITY;
  return { name, size: Number.isNaN(size) ? 0 : size, kind };
}

/** Returns a path below `into`, or `undefined` for `into` itself and for names that lead out of it. */
function safePath(into: string, name: string): string | undefined {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") || name.includes("\0") ? undefined : join(into, ...parts);
}

function createBlockReader(archive: Readable) {
  const chunks = archive[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  async function more(): Promise<boolean> {
    const next = await chunks.next().catch(() => ({ done: true as const, value: undefined }));
    if (next.done) return false;
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
    return true;
  }
  return {
    async take(length: number): Promise<Buffer | undefined> {
      while (rest.length < length) if (!(await more())) return undefined;
      const taken = rest.subarray(0, length);
      rest = rest.subarray(length);
      return taken;
    },
    /** Passes on `length` bytes as they arrive. */
    async pass(length: number, to?: (chunk: Buffer) => Promise<void>): Promise<boolean> {
      for (let left = length; left > 0; ) {
        if (rest.length === 0 && !(await more())) return false;
        const chunk = rest.subarray(0, left);
        rest = rest.subarray(chunk.length);
        left -= chunk.length;
        await to?.(chunk);
      }
      return true;
    },
  };
}
