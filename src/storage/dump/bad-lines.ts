import type { RestoreReport } from "../../ports/ledger-dump.ts";

export type BadLines = Pick<RestoreReport, "badLines" | "moreBadLines">;

/** A file that is no dump may have any number of them. */
const kept = 100;

export function addBadLine(report: BadLines, line: number, problem: string): void {
  if (report.badLines.length < kept) report.badLines.push({ line, problem });
  else report.moreBadLines += 1;
}

/** What is found out at the end of a session may be said of a line in its middle. */
export function sortBadLines({ badLines }: BadLines): void {
  badLines.sort((one, other) => one.line - other.line);
}
