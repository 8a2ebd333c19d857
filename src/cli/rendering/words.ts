import { count } from "../../kernel/numbers.ts";
import { clip, visible } from "../../kernel/text.ts";

/** Returns, for example, "1 workspace: 2 branches, 3 entries, 4 graph versions". */
export function describeMemory(
  memory: Record<"workspaces" | "branches" | "entries" | "versions", number>,
): string {
  const { workspaces, branches, entries, versions } = memory;
  const parts = [count(branches, "branch"), count(entries, "entry"), count(versions, "graph version")];
  return `${count(workspaces, "workspace")}: ${parts.join(", ")}`;
}

export const shortId = (id: string): string => id.slice(0, 8);

/** The maximum length of a text on one line, in characters. No terminal is wider. */
const longestLine = 4_000;

/** Returns the beginning of a stored text on one line, without control characters. */
export const oneLine = (text: string): string =>
  visible(
    clip(text.trim(), longestLine)
      .split("\n")
      .map((line) => line.trim())
      .join("\n"),
  );

const units = [
  { seconds: 365 * 24 * 3_600, name: "y" },
  { seconds: 7 * 24 * 3_600, name: "w" },
  { seconds: 24 * 3_600, name: "d" },
  { seconds: 3_600, name: "h" },
  { seconds: 60, name: "m" },
];

/** Returns how long ago a time was, in one unit: `now`, `5m`, `3h`, `2d`, `6w`, `1y`. */
export function formatAge(timestamp: string, now: Date): string {
  return shortest((now.getTime() - Date.parse(timestamp)) / 1_000, "now");
}

/** Like `formatAge`, for a sentence: `just now`, `5m ago`. */
export function formatAgo(timestamp: string, now: Date): string {
  const age = formatAge(timestamp, now);
  return age === "now" ? "just now" : `${age} ago`;
}

export function formatDuration(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1_000)}s` : shortest(ms / 1_000, "0s");
}

function shortest(seconds: number, none: string): string {
  const unit = units.find((one) => seconds >= one.seconds);
  return unit ? `${Math.floor(seconds / unit.seconds)}${unit.name}` : none;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let [size, unit] = [bytes, 0];
  while (size >= 1_000 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}
