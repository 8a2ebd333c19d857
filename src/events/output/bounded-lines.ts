export type BoundedLines = {
  readonly length: number;
  /** Adds a line at the end; answers how many lines at the front were given up for it. */
  push(line: string): number;
  /** Removes lines from the front: as many as fit into `maxChars`, at least one if there is any. */
  take(maxChars: number): string[];
  /** Returns lines to the front; answers how many of them there is no room for any more. */
  putBack(lines: readonly string[]): number;
};

/** A queue that gives up its oldest lines rather than hold more than `capacity` characters. */
export function createBoundedLines(capacity: number): BoundedLines {
  let lines: string[] = [];
  let first = 0;
  let chars = 0;

  function shift(): string {
    const line = lines[first] ?? "";
    first += 1;
    chars -= line.length;
    // Moving the rest up for every line would make a long queue quadratic.
    if (first * 2 > lines.length) {
      lines = lines.slice(first);
      first = 0;
    }
    return line;
  }

  function giveUpOldest(): number {
    const before = lines.length - first;
    while (chars > capacity) shift();
    return before - (lines.length - first);
  }

  return {
    get length() {
      return lines.length - first;
    },
    push(line) {
      lines.push(line);
      chars += line.length;
      return giveUpOldest();
    },
    take(maxChars) {
      const taken: string[] = [];
      let room = maxChars;
      while (first < lines.length) {
        room -= lines[first]?.length ?? 0;
        if (room < 0 && taken.length > 0) break;
        taken.push(shift());
      }
      return taken;
    },
    putBack(returned) {
      lines = [...returned, ...lines.slice(first)];
      first = 0;
      for (const line of returned) chars += line.length;
      return giveUpOldest();
    },
  };
}
