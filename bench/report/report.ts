import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import reasons from "../reasons.json" with { type: "json" };
import type { Line } from "../row.ts";
import { toMarkdown } from "./markdown.ts";

export type Report = {
  machine: string;
  at: string;
  quick: boolean;
  /** Time for a fixed amount of processor work before each row, in milliseconds. */
  yardsticks: Record<string, number>;
  lines: (Line & { reason?: string })[];
};

type Measured = { lines: readonly Line[]; yardsticks: Record<string, number>; quick: boolean };

export function createReport({ lines, yardsticks, quick }: Measured): Report {
  const known: Record<string, string | undefined> = reasons;
  return {
    machine: describeMachine(),
    at: new Date().toISOString(),
    quick,
    yardsticks,
    lines: lines.map((line) => {
      const reason = line.goal?.met === false ? known[line.id] : undefined;
      return reason === undefined ? line : { ...line, reason };
    }),
  };
}

/** Writes `latest.json` for programs and `latest.md` for people. */
export function saveReport(report: Report, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "latest.json"), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(folder, "latest.md"), toMarkdown(report));
}

function describeMachine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const cores = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown processor"}`;
  return `${cores}, ${memory} GB, ${platform()} ${release()}, node ${process.versions.node}`;
}
