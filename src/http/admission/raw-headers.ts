/** Node's `rawHeaders` alternates names and values and, unlike `headers`, keeps duplicates apart. */
export type RawHeaders = readonly string[];

export function headerValues(rawHeaders: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [given = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    // The length distinguishes most names.
    if (given.length === name.length && given.toLowerCase() === name) values.push(value);
  }
  return values;
}

export function headerNames(rawHeaders: RawHeaders): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
}

/**
 * Origin form (`/path?query`) in printable ASCII. `//host` is grammatical but refused, since
 * `new URL(target, base)` somewhere behind the door would read a host from it.
 */
export function isOriginForm(target: string): boolean {
  return /^\/(?!\/)[!-~]*$/.test(target) && !/[\\#]/.test(target);
}

export function pathOf(target: string): string {
  return target.split("?", 1)[0] ?? target;
}
