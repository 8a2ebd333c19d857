const form = /^s:(?:0|[1-9]\d{0,3})(?:\.s:(?:0|[1-9]\d{0,3}))*$/;

export const isStepPath = (text: string): boolean => text.length <= 128 && form.test(text);

/** `s:0.s:2` → [0, 2] */
export const partsOf = (path: string): number[] => path.split(".").map((part) => Number(part.slice(2)));

export const pathBelow = (parent: string | undefined, index: number): string =>
  parent === undefined ? `s:${index}` : `${parent}.s:${index}`;

export function parentOf(path: string): string | undefined {
  const dot = path.lastIndexOf(".");
  return dot === -1 ? undefined : path.slice(0, dot);
}

export const depthOf = (path: string): number => path.split(".").length;

export const isBelow = (path: string, other: string): boolean => path.startsWith(`${other}.`);

/** As an outline is read: every step before what is below it. */
export function byPath(one: string, other: string): number {
  const [here, there] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < Math.min(here.length, there.length); at++) {
    const difference = (here[at] ?? 0) - (there[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return here.length - there.length;
}
