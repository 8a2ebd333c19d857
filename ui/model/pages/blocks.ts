/** The fields that identify the edit that wrote a line. Lines with equal fields belong to one block. */
export type Written = { sessionId: string; thought?: string };
export type Run<Writer extends Written, Commit extends { sha: string }> = {
  from: number;
  to: number;
  writer: Writer | undefined;
  commit: Commit | undefined;
};
/** Neighbouring lines of one edit, or of one commit that no session explains. */
export type Block<Writer extends Written, Commit extends { sha: string }> = Run<Writer, Commit> & {
  /** Whether it is already known who wrote the lines. */
  isKnown: boolean;
};

/**
 * Joins neighbouring runs into blocks. Lines that no run covers yet are blocks as well, so that the blocks always cover
 * the lines `from` to `to`.
 */
export function toBlocks<Writer extends Written, Commit extends { sha: string }>(
  runs: readonly Run<Writer, Commit>[],
  from: number,
  to: number,
): Block<Writer, Commit>[] {
  const blocks: Block<Writer, Commit>[] = [];
  const fill = (end: number) => {
    const start = (blocks.at(-1)?.to ?? from - 1) + 1;
    if (start <= end)
      blocks.push({ from: start, to: end, writer: undefined, commit: undefined, isKnown: false });
  };
  for (const run of runs) {
    if (run.to < from || run.from > to) continue;
    const part = { ...run, from: Math.max(run.from, from), to: Math.min(run.to, to), isKnown: true };
    fill(part.from - 1);
    const before = blocks.at(-1);
    if (before?.isKnown && isSame(before, part)) blocks[blocks.length - 1] = { ...before, to: part.to };
    else blocks.push(part);
  }
  fill(to);
  return blocks;
}

function isSame<Writer extends Written, Commit extends { sha: string }>(
  one: Run<Writer, Commit>,
  other: Run<Writer, Commit>,
): boolean {
  if (!one.writer || !other.writer)
    return one.writer === other.writer && one.commit?.sha === other.commit?.sha;
  return one.writer.sessionId === other.writer.sessionId && one.writer.thought === other.writer.thought;
}
