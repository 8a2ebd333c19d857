import { type ComparedPin, comparePin, type Pin } from "../domain/memory/ground.ts";

export type PinReads = {
  /** The blob of each path at HEAD, or `undefined` if there is no such file. Omits paths that git cannot look up. */
  lookUp(paths: readonly string[]): Promise<ReadonlyMap<string, string | undefined>>;
  readTexts(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Cached results, by pin and content. They stay valid after later commits. */
  kept: { get(key: string): ComparedPin | undefined; set(key: string, value: ComparedPin): void };
  root: string;
};

/** Reads the files whose content differs, and the pinned content, in one call of git. */
export async function comparePins(
  pins: readonly Pin[],
  { lookUp, readTexts, kept, root }: PinReads,
): Promise<ComparedPin[]> {
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
  const names = new Set(unread.flatMap(({ pin, head = "" }) => [head, ...pin.blobs.filter(isBlobId)]));
  const texts = names.size === 0 ? new Map<string, string>() : await readTexts([...names]);
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

const isBlobId = (blob: string): boolean => /^[0-9a-f]{40,64}$/.test(blob);
