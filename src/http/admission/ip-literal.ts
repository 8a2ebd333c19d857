/** Accepts only canonical dotted decimal, not other forms that resolvers accept (`127.1`, `0177.0.0.1`, `0x7f.1`). */
export function parseIpv4(text: string): number[] | undefined {
  const parts = text.split(".");
  const canonical = parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255);
  return parts.length === 4 && canonical ? parts.map(Number) : undefined;
}

/** Returns the eight groups of a lower-case hexadecimal address without a zone or a dotted tail. */
export function parseIpv6(text: string): number[] | undefined {
  const halves = text.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const [head = [], tail] = halves;
  if (halves.length > 2 || !halves.flat().every((group) => /^[0-9a-f]{1,4}$/.test(group))) return undefined;

  const missing = 8 - halves.flat().length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...Array<string>(missing).fill("0"), ...(tail ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
}

/** Formats an address as browsers do: without leading zeros, and with the longest run of zeros shortened. */
export function formatIpv6(groups: readonly number[]): string {
  const run = longestZeroRun(groups);
  const spell = (part: readonly number[]) => part.map((group) => group.toString(16)).join(":");
  if (run.length < 2) return spell(groups);
  return `${spell(groups.slice(0, run.start))}::${spell(groups.slice(run.start + run.length))}`;
}

export function isCanonicalIpv6(text: string): boolean {
  const groups = parseIpv6(text);
  return groups !== undefined && formatIpv6(groups) === text;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [at, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: at - length + 1, length };
  }
  return longest;
}
