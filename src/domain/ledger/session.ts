import * as z from "zod";
import type { Domain, Stage } from "../stages/stages.ts";

export const sessionStatuses = ["active", "completed", "abandoned"] as const;

export const sessionSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()),
  project: z.string(),
  status: z.enum(sessionStatuses),
  thoughtCount: z.int(),
  branchCount: z.int(),
  partitionPath: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastAccessedAt: z.string(),
  completedAt: z.string().optional(),
});
export type Session = z.infer<typeof sessionSchema>;

export type Navigation = {
  project?: string | undefined;
  task?: string | undefined;
  aspect?: string | undefined;
};

/** What a handle remembers between calls; it is stored with the session, so that any process can go on. */
export type StandingState = {
  stage: Stage;
  domain?: Domain | undefined;
  boundRoot?: string | undefined;
  navigation: Navigation;
};

export type SessionRecord = { session: Session; state: StandingState };
export type TrashedSession = SessionRecord & { deletedAt: string };

const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** A session that is open and has heard nothing for a day counts as abandoned; nothing is written for it. */
export function abandonedBefore(now: Date): string {
  return new Date(now.getTime() - abandonedAfterMs).toISOString();
}

export function statusAt(stored: "active" | "completed", updatedAt: string, now: Date): Session["status"] {
  if (stored === "completed") return "completed";
  return Date.parse(updatedAt) < now.getTime() - abandonedAfterMs ? "abandoned" : "active";
}

const prefixOf = (tag: string): string => tag.slice(0, tag.indexOf(":") + 1);

/** New tags for a session; where it belongs stays, except that another task or aspect may be given. */
export function keepNavigationTags(current: readonly string[], given: readonly string[]): string[] {
  const project = current.filter((tag) => prefixOf(tag) === "project:");
  const wanted = given.filter((tag) => project.length === 0 || prefixOf(tag) !== "project:");
  const replaced = new Set(wanted.map(prefixOf));
  const kept = current.filter((tag) => /^(?:task|aspect):/.test(tag) && !replaced.has(prefixOf(tag)));
  return [...new Set([...wanted, ...project, ...kept])];
}

/** project, task and aspect are searchable as tags too. */
export function navigationTags(navigation: Navigation): string[] {
  return Object.entries(navigation).flatMap(([key, value]) => (value ? [`${key}:${value}`] : []));
}

/** Made from a transcript: no other session has an ID of this version. */
export const isCaptured = (sessionId: string): boolean => /^[0-9a-f]{8}-[0-9a-f]{4}-8/.test(sessionId);
