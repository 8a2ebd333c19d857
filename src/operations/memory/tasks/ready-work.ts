import * as z from "zod";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { type Item, isClosed, numberOf, rankOf } from "../../../domain/tasks/item.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { GroundContext } from "../ground/read-ground.ts";
import { type BoardView, readBoard } from "../packs/read-board.ts";
import { docsOfTarget, requireTarget } from "../scope.ts";
import { findOpenDependency } from "./change-task.ts";

type Reads = Pick<MemoryContext, "memory" | "workspace">;

/** The maximum number of plans and tasks to check for a cycle. */
const maxWalk = 1_000;

/** Checks that each dependency exists and does not depend on the item itself. */
export async function checkDependencies(
  memory: Reads,
  id: string | undefined,
  { depends_on = [], discovered_from }: Pick<Item, "depends_on" | "discovered_from">,
): Promise<void> {
  if (id !== undefined) await requireTarget(memory, id);
  if (discovered_from !== undefined) await requireTarget(memory, discovered_from);
  const seen = new Set<string>();
  const walk = async (next: string, way: readonly string[]): Promise<void> => {
    if (next === id)
      throw taskFailure("depends_in_circle", {
        workspace: memory.workspace,
        target: id,
        cycle: [...way, id],
      });
    if (seen.has(next) || seen.size >= maxWalk) return;
    seen.add(next);
    const item = await requireTarget(memory, next);
    for (const other of item.depends_on ?? []) await walk(other, [...way, next]);
  };
  for (const first of depends_on) await walk(first, id === undefined ? [] : [id]);
}

/** Refuses if a dependency is not done. */
export async function requireDependencies(memory: Reads, id: string): Promise<void> {
  const waits_for = await findOpenDependency(memory, await requireTarget(memory, id));
  if (waits_for !== undefined)
    throw taskFailure("dependency_open", { workspace: memory.workspace, target: id, waits_for });
}

export const workLineSchema = z.strictObject({
  id: z.string(),
  title: z.string().optional(),
  plan: z.string().optional(),
  status: z.string().optional(),
  priority: z.string().optional(),
  assignee: z.string().optional(),
  step: z.string().optional(),
  holder: z.string().optional(),
  reason: z.string().optional(),
});
type WorkLine = z.input<typeof workLineSchema>;
type TaskLine = NonNullable<BoardView["shown"]["tasks"]>[number];

const maxPlans = 50;

/**
 * Lists open tasks in open plans. Tasks that can start now are first, the most urgent at the top. The other
 * tasks show their open dependencies.
 */
export async function listWork(
  memory: GroundContext & Pick<MemoryContext, "clock">,
  plan: string | undefined,
  isWanted: (line: TaskLine) => boolean,
): Promise<{ ready: WorkLine[]; waiting: WorkLine[] }> {
  const [ready, waiting]: [WorkLine[], WorkLine[]] = [[], []];
  for (const item of await openPlans(memory, plan)) {
    const { shown } = await readBoard(memory, docsOfTarget(item), []);
    for (const line of (shown.tasks ?? []).filter((task) => !isClosed(task) && isWanted(task))) {
      const { id, title, status, priority, assignee, step, holder } = line;
      const told = { id, title, plan: item.id, status, priority, assignee, step, holder };
      const work = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
      const isReady = shown.ready?.includes(id) ?? false;
      (isReady ? ready : waiting).push({
        ...work,
        id,
        reason: isReady ? "Nothing blocks it." : whyNot(line),
      });
    }
  }
  const byUrgency = (one: WorkLine, other: WorkLine) =>
    rankOf(one) - rankOf(other) || numberOf(one.id) - numberOf(other.id);
  return { ready: ready.toSorted(byUrgency), waiting: waiting.toSorted(byUrgency) };
}

function whyNot({ status, holder, blockers = [], waits_for = [] }: TaskLine): string {
  if (waits_for.length > 0) return `Waits for ${waits_for.join(", ")}.`;
  if (blockers.length > 0) return `Blocked: ${blockers.join("; ")}`;
  return status === "PARKED" ? "Parked." : `${holder ?? "Another agent"} is working on it.`;
}

async function openPlans({ memory, workspace }: Reads, plan: string | undefined): Promise<Item[]> {
  if (plan !== undefined) return [await requireTarget({ memory, workspace }, plan)];
  const { items } = await memory.listItems(workspace, { kind: "plan", after: 0, limit: 200 });
  return items.filter((item) => !isClosed(item)).slice(-maxPlans);
}

export const messageSchema = z.strictObject({
  id: z.string(),
  about: z.string().optional(),
  from: z.string().optional(),
  at: z.string().optional(),
  text: z.string().optional(),
});
type Message = z.input<typeof messageSchema>;

/** Limits for the events, jobs and messages per job that are read, and for the messages that are shown. */
const [eventsLookedAt, jobsLookedAt, perJob, maxMessages] = [1_000, 10, 5, 20];

/** Lists notes to the agent, and messages to its jobs, newest first. */
export async function listMessages({ memory, workspace }: Reads, me: string): Promise<Message[]> {
  const { lastTaskEvent } = await memory.readActivity(workspace);
  const last = lastTaskEvent ? numberOf(lastTaskEvent.event_id) : 0;
  const { events } = await memory.readTaskEvents(workspace, {
    after: Math.max(0, last - eventsLookedAt),
    limit: eventsLookedAt,
  });
  const notes = events
    .filter(
      ({ kind, summary = "", data, agent_id }) =>
        kind === "noted" && agent_id !== me && (data?.["to"] === me || isMentioned(summary, me)),
    )
    .map(({ event_id, target, agent_id, ts_ms, summary }) => ({
      ts_ms,
      message: { id: event_id, about: target, ...(agent_id && { from: agent_id }), text: summary },
    }));
  const { jobs } = await memory.listJobs(workspace, { runner: me, limit: jobsLookedAt });
  const told = await Promise.all(
    jobs.map(async ({ id }) =>
      (await memory.readJobEvents(workspace, id, undefined, perJob)).events
        .filter(({ kind }) => kind === "message")
        .map(({ seq, ts_ms, message }) => ({
          ts_ms,
          message: { id: `${id}@${seq}`, about: id, text: message },
        })),
    ),
  );
  return [...notes, ...told.flat()]
    .sort((one, other) => other.ts_ms - one.ts_ms)
    .slice(0, maxMessages)
    .map(({ ts_ms, message }) => ({
      ...message,
      at: new Date(ts_ms).toISOString(),
      ...(message.text !== undefined && { text: message.text.slice(0, 200) }),
    }));
}

const isMentioned = (text: string, name: string): boolean =>
  text.split(/[\s,;:!?()]+/).some((word) => word === `@${name}` || word === `@${name}.`);
