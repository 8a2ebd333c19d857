import * as z from "zod";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { type Item, isClosed, numberOf, rankOf } from "../../../domain/tasks/item.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import type { GroundContext } from "../ground/read-ground.ts";
import { type BoardView, readBoard } from "../packs/read-board.ts";
import { docsOfTarget, requireTarget } from "../scope.ts";

type Reads = Pick<MemoryContext, "memory" | "workspace">;

/** So many plans and tasks are looked at for a circle. */
const maxWalk = 1_000;

/** What an item is to wait for exists, and does not wait for the item. */
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

/** Nothing is done before what it waits for. */
export async function requireDependencies(memory: Reads, id: string): Promise<void> {
  const { depends_on = [] } = await requireTarget(memory, id);
  for (const waits_for of depends_on) {
    const other = await memory.memory.readItem(memory.workspace, waits_for);
    if (other && !isClosed(other))
      throw taskFailure("dependency_open", { workspace: memory.workspace, target: id, waits_for });
  }
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

/** Open tasks of open plans: those that can be taken now, the most urgent first, and what the others wait for. */
export async function listWork(
  memory: GroundContext & Pick<MemoryContext, "clock">,
  plan: string | undefined,
  isWanted: (line: TaskLine) => boolean,
): Promise<{ ready: WorkLine[]; waiting: WorkLine[] }> {
  const [ready, waiting]: [WorkLine[], WorkLine[]] = [[], []];
  for (const item of await openPlans(memory, plan)) {
    const { shown } = await readBoard(memory, docsOfTarget(item), []);
    for (const line of (shown.tasks ?? []).filter(isOpenLine).filter(isWanted)) {
      const { id, title, status, priority, assignee, step, holder } = line;
      const told = { id, title, plan: item.id, status, priority, assignee, step, holder };
      const work = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
      const isReady = shown.ready?.includes(id) ?? false;
      (isReady ? ready : waiting).push({
        ...work,
        id,
        reason: isReady ? "Nothing is in its way." : whyNot(line),
      });
    }
  }
  const byUrgency = (one: WorkLine, other: WorkLine) =>
    rankOf(one) - rankOf(other) || numberOf(one.id) - numberOf(other.id);
  return { ready: ready.toSorted(byUrgency), waiting: waiting.toSorted(byUrgency) };
}

const isOpenLine = ({ status }: TaskLine): boolean => status !== "DONE" && status !== "CANCELED";

function whyNot({ status, holder, blockers = [], waits_for = [] }: TaskLine): string {
  if (waits_for.length > 0) return `Waits for ${waits_for.join(", ")}.`;
  if (blockers.length > 0) return `Blocked: ${blockers.join("; ")}`;
  return status === "PARKED" ? "Parked." : `${holder ?? "Another agent"} works on it.`;
}

async function openPlans({ memory, workspace }: Reads, plan: string | undefined): Promise<Item[]> {
  if (plan !== undefined) return [await requireTarget({ memory, workspace }, plan)];
  const { items } = await memory.listItems(workspace, { kind: "plan", after: 0, limit: 200 });
  return items.filter((item) => !isClosed(item)).slice(-maxPlans);
}
