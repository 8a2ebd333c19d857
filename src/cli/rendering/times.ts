const units = [
  { seconds: 365 * 24 * 3_600, name: "y" },
  { seconds: 7 * 24 * 3_600, name: "w" },
  { seconds: 24 * 3_600, name: "d" },
  { seconds: 3_600, name: "h" },
  { seconds: 60, name: "m" },
];

/** How long ago, in one unit: `now`, `5m`, `3h`, `2d`, `6w`, `1y`. */
export function formatAge(timestamp: string, now: Date): string {
  return shortest((now.getTime() - Date.parse(timestamp)) / 1_000, "now");
}

export function formatDuration(ms: number): string {
  return ms < 60_000 ? `${Math.round(ms / 1_000)}s` : shortest(ms / 1_000, "0s");
}

function shortest(seconds: number, none: string): string {
  const unit = units.find((one) => seconds >= one.seconds);
  return unit ? `${Math.floor(seconds / unit.seconds)}${unit.name}` : none;
}
