/** Node's `rawHeaders` alternates names and values and, unlike `headers`, keeps duplicates apart. */
export type RawHeaders = readonly string[];

export function headerValues(rawHeaders: RawHeaders, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

export function headerNames(rawHeaders: RawHeaders): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
}
