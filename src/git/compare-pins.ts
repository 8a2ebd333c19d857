import { type ComparedPin, comparePin, type Pin } from "../domain/memory/ground.ts";
import type { GitObject } from "./parse-git.ts";

type Cache<Value> = {
  get(key: string): Value | undefined;
  has(key: string): boolean;
  set(key: string, value: Value): void;
};

export type PinReads = {
  root: string;
  head: string | undefined;
  /** The cache of `lookUp`: blobs by root, HEAD and path. */
  paths: Cache<string | undefined>;
  isRepositoryPath(path: string): boolean;
  /** The blob of each path at HEAD, or `undefined` if there is no such file. Unknown paths are left out. */
  lookUp(paths: readonly string[]): Promise<ReadonlyMap<string, string | undefined>>;
  /** Objects by name. Missing objects are left out. `undefined` if git failed. */
  readObjects(names: readonly string[]): Promise<ReadonlyMap<string, GitObject> | undefined>;
  /**
   * Results by pin and content. Because pins and contents never change, the results stay valid after later
   * commits.
   */
  kept: Cache<ComparedPin>;
};

/**
 * If there are at most this many files, all are read at once, even unchanged ones, because running git a
 * second time would take longer.
 */
const fewFiles = 8;

/** Compares each pin with HEAD. Reads only the files that have changed, together with their pinned content. */
export async function comparePins(pins: readonly Pin[], reads: PinReads): Promise<ComparedPin[]> {
  const { root, lookUp, readObjects, kept } = reads;
  const early = await readFew(pins, reads);
  const heads = await lookUp(pins.map(({ path }) => path));
  const asked = pins.map((pin) => {
    const head = heads.get(pin.path);
    return { pin, head, key: `${root}\n${head}\n${JSON.stringify(pin)}` };
  });
  const known = new Map(asked.map(({ key }) => [key, kept.get(key)]));
  const unread = asked.filter(
    ({ pin, head, key }) =>
      pin.range && head !== undefined && !pin.blobs.includes(head) && known.get(key) === undefined,
  );
  const names = unread.filter(({ head = "" }) => !early.has(head)).flatMap(namesOf);
  const texts = new Map([...early, ...textsIn((await readObjects(names)) ?? new Map())]);
  for (const { pin, head = "", key } of unread) {
    const [now, ...before] = [head, ...pin.blobs].map((blob) => texts.get(blob));
    if (now === undefined) continue;
    const compared = comparePin(
      pin,
      now,
      before.filter((text) => text !== undefined),
    );
    known.set(key, compared);
    kept.set(key, compared);
  }
  return asked.map(({ pin, head, key }): ComparedPin => {
    if (!heads.has(pin.path)) return { state: "unknown" };
    if (head === undefined) return { state: "moved", now: `${pin.path} is deleted` };
    if (pin.blobs.includes(head)) return { state: "holds" };
    return pin.range ? (known.get(key) ?? { state: "unknown" }) : { state: "moved" };
  });
}

const namesOf = ({ pin, head = "" }: { pin: Pin; head?: string | undefined }): string[] => [
  head,
  ...pin.blobs.filter(isBlobId),
];

/**
 * If only a few files have not been looked up at this HEAD, reads them together with the pinned contents. Caches their
 * blob IDs and returns the texts by blob ID.
 */
async function readFew(
  pins: readonly Pin[],
  { root, head, paths, isRepositoryPath, readObjects }: PinReads,
): Promise<ReadonlyMap<string, string>> {
  const keyOf = ({ path }: Pin) => `${root}\n${head}\n${path}`;
  const isNew = (pin: Pin) => pin.range && !paths.has(keyOf(pin)) && isRepositoryPath(pin.path);
  const wanted = pins.filter(isNew).map((pin) => ({ pin, head: `${head}:${pin.path}` }));
  const isFew = new Set(wanted.map(({ pin }) => pin.path)).size <= fewFiles;
  if (head === undefined || wanted.length === 0 || !isFew) return new Map();
  const objects = await readObjects(wanted.flatMap(namesOf));
  if (!objects) return new Map();
  for (const { pin, head: name } of wanted) {
    const object = objects.get(name);
    paths.set(keyOf(pin), object?.type === "blob" ? object.id : undefined);
  }
  return new Map(
    [...objects.values()].flatMap(({ id, type, text }) => (type === "blob" ? [[id, text]] : [])),
  );
}

export const textsIn = (objects: ReadonlyMap<string, GitObject>): ReadonlyMap<string, string> =>
  new Map([...objects].flatMap(([name, { type, text }]) => (type === "blob" ? [[name, text]] : [])));

const isBlobId = (blob: string): boolean => /^[0-9a-f]{40,64}$/.test(blob);
