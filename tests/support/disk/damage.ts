import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";

type Random = () => number;

/** Ways in which a disk or a person damages a file. `page` is the unit in which SQLite reads and writes. */
const page = 4096;

const below = (random: Random, most: number): number => Math.floor(random() * most);

function change(path: string, work: (file: number, size: number) => void): void {
  const file = openSync(path, "r+");
  try {
    work(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

export function flipBit(path: string, random: Random): void {
  change(path, (file, size) => {
    const [at, byte] = [below(random, size), Buffer.alloc(1)];
    readSync(file, byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ (1 << below(random, 8));
    writeSync(file, byte, 0, 1, at);
  });
}

export function zeroPage(path: string, random: Random): void {
  change(path, (file, size) => {
    const at = below(random, Math.ceil(size / page)) * page;
    writeSync(file, Buffer.alloc(Math.min(page, size - at)), 0, undefined, at);
  });
}

export function scribbleSector(path: string, random: Random): void {
  change(path, (file, size) => {
    const bytes = Buffer.from(Array.from({ length: Math.min(512, size) }, () => below(random, 256)));
    writeSync(
      file,
      bytes,
      0,
      undefined,
      Math.min(below(random, Math.ceil(size / 512)) * 512, size - bytes.length),
    );
  });
}

export function swapPages(path: string, random: Random): void {
  const bytes = readFileSync(path);
  const pages = Math.floor(bytes.length / page);
  const [one, other] = [below(random, pages) * page, below(random, pages) * page];
  const kept = Buffer.from(bytes.subarray(one, one + page));
  bytes.copy(bytes, one, other, other + page);
  kept.copy(bytes, other);
  writeFileSync(path, bytes);
}

export function cutShort(path: string, random: Random): void {
  truncateSync(path, below(random, readFileSync(path).length));
}
