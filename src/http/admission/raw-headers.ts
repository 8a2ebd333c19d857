/**
 * Node's `rawHeaders` alternates names and values. Unlike `headers`, `rawHeaders` keeps duplicates separate.
 */
export type RawHeaders = readonly string[];

export function headerValues(rawHeaders: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [given = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
    // Compares the lengths first, because most names differ in length.
    if (given.length === name.length && given.toLowerCase() === name) values.push(value);
  }
  return values;
}

export function headerNames(rawHeaders: RawHeaders): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
}

/**
 * True for the origin form (`/path?query`) in printable ASCII. `//host` is grammatical, but a later `new
 * URL(target, base)` would read a host from it, so it is refused.
 */
export function isOriginForm(target: string): boolean {
  return /^\/(?!\/)[!-~]*$/.test(target) && !/[\\#]/.test(target);
}

export function pathOf(target: string): string {
  return target.split("?", 1)[0] ?? target;
}
