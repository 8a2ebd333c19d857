export type PartitionGranularity = "monthly" | "weekly" | "daily" | "none";

/** Returns the folder for a session, from its creation time in UTC. The folder never changes. */
export function partitionPath(createdAt: Date, granularity: PartitionGranularity): string | undefined {
  const day = createdAt.toISOString().slice(0, 10);
  switch (granularity) {
    case "monthly":
      return day.slice(0, 7);
    case "daily":
      return day;
    case "weekly":
      return isoWeek(createdAt);
    case "none":
      return undefined;
  }
}

/** Returns the ISO 8601 week. A week belongs to the year of its Thursday. */
function isoWeek(date: Date): string {
  const thursday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()));
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const yearStart = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.ceil(((thursday.getTime() - yearStart) / 86_400_000 + 1) / 7);
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, "0")}`;
}
