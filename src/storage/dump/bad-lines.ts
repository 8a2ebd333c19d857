import type { RestoreReport } from "../../ports/ledger-dump.ts";

export type BadLines = Pick<RestoreReport, "badLines" | "moreBadLines">;

/** A file that is no dump may have any number of them. */
const kept = 100;

export function addBadLine(report: BadLines, line: number, problem: string): void {
  if (report.badLines.length < kept) report.badLines.push({ line, problem });
  else report.moreBadLines += 1;
}
