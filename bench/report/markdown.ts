import type { Figure, Line } from "../row.ts";
import type { Report } from "./report.ts";

const columns = ["what", "Thoughtbox", "compared with", "", "ratio", "goal", ""];

export function toMarkdown({ machine, quick, yardsticks, lines }: Report): string {
  const table = [
    columns,
    columns.map(() => "---"),
    ...lines.map((line) => [
      line.what,
      formatFigure(line.ours),
      line.against?.name ?? "",
      line.against ? formatFigure(line.against.figure) : "",
      line.ratio === undefined ? "" : `${short(line.ratio)} ×`,
      line.goal?.text ?? "",
      verdict(line),
    ]),
  ].map((cells) => `| ${cells.join(" | ")} |`);
  const missed = lines.filter(({ goal }) => goal?.met === false);
  const met = lines.filter(({ goal }) => goal?.met).length;
  const reasons = missed.map(({ what, reason }) => `- **${what}**: ${reason ?? "not understood yet."}`);
  return [
    "# Benchmark",
    "",
    `${met} ${met === 1 ? "goal" : "goals"} met, ${missed.length} missed${missed.length > 0 ? ":" : "."}`,
    "",
    ...missed.map(missedBy),
    ...(missed.length > 0 ? [""] : []),
    `${machine}${quick ? " · a quick run on small stores: the figures mean little" : ""}`,
    ...describeHour(yardsticks),
    "",
    "Times are medians, followed by the 99th (or 95th) percentile. The two sides of a row took turns, and a ratio is the",
    "median over all rounds. A ratio of times or sizes below 1 means that Thoughtbox needs less. Compare absolute figures",
    "only within this run.",
    "",
    ...table,
    ...(missed.length > 0 ? ["", "## Goals missed", "", ...reasons] : []),
    "",
  ].join("\n");
}

function describeHour(yardsticks: Report["yardsticks"]): string[] {
  const sorted = Object.entries(yardsticks).sort(([, one], [, other]) => one - other);
  const [fastest, usual, slowest] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  if (!fastest || !usual || !slowest) return [];
  return [
    `A fixed amount of processor work, timed before each row, took ${short(usual[1])} ms (median), ${short(fastest[1])} ms before ${fastest[0]} (fastest) and ${short(slowest[1])} ms before ${slowest[0]} (slowest).`,
  ];
}

/** Returns one line of the summary: the figure, its goal, and by how much it was missed. */
function missedBy({ what, ours, ratio, goal }: Line): string {
  const found = ratio !== undefined && goal?.text.includes("×") ? `${short(ratio)} ×` : formatFigure(ours);
  const percent = Math.round(((goal?.share ?? 1) - 1) * 100);
  // If the goal is zero, there is no percentage.
  const by = Number.isFinite(percent) ? `, missed by ${percent}%` : "";
  return `- ${what}: ${found}, goal ${goal?.text ?? ""}${by}`;
}

function verdict({ goal }: Line): string {
  if (!goal) return "";
  return goal.met ? "met" : "**missed**";
}

function formatFigure({ value, unit, p95, p99 }: Figure): string {
  if (unit === "score") return value.toFixed(3);
  if (unit === "share") return `${Math.round(value * 100)}%`;
  const tail = p99 === undefined ? p95 : p99;
  const behind = tail === undefined ? "" : ` (p${p99 === undefined ? 95 : 99} ${short(tail)})`;
  return `${short(value)} ${unit}${behind}`;
}

/** Rounds to three significant digits. */
function short(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}
