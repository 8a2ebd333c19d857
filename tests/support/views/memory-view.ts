import type { Commit, Conflict } from "../../../src/domain/memory/steps/outcomes.ts";
import { anyone, type MemoryStore } from "../../../src/ports/memory/memory-store.ts";

const all = 1_000;
const at = new Date(0);

/** Returns everything that callers can see of a workspace, through every query. */
export async function memoryView(store: MemoryStore, workspace: string): Promise<unknown> {
  const branches = await store.listBranches(workspace, { after: "", limit: all });
  const views: Record<string, unknown> = {};
  for (const { name } of branches) {
    const docs = await store.listDocs(workspace, name);
    views[name] = {
      docs,
      reflog: await store.readReflog(workspace, name, undefined, all),
      contents: await Promise.all(
        ["notes", "graph"].map(async (doc) => ({
          entries: await store.readEntries(workspace, { branch: name, doc, limit: all }),
          ...(await graphView(store, workspace, { branch: name, doc })),
          ref: await refView(store, workspace, name, doc),
          conflicts: await conflictsOf(store, workspace, { into: name, doc }),
          against: await Promise.all(
            branches.map(async ({ name: other }) => ({
              entries: await store.readDifference(workspace, {
                branch: name,
                without: other,
                doc,
                limit: all,
              }),
              graph: await store.diffGraph(workspace, { from: name, to: other, doc, limit: all }),
              notes: await store.previewNoteMerge(workspace, {
                from: name,
                into: other,
                doc,
                after: 0,
                limit: all,
              }),
              merge: await orRefusal(
                store
                  .previewGraphMerge(workspace, { from: name, into: other, doc, after: 0, limit: all }, at)
                  // The number of compared keys depends on shortcuts, which a restored store does not have yet.
                  .then(({ total: _compared, ...outcome }) => outcome),
              ),
            })),
          ),
        })),
      ),
    };
  }
  return {
    workspace: await store.readWorkspace(workspace, anyone),
    activity: await store.readActivity(workspace),
    branches,
    views,
    tasks: await taskView(store, workspace),
    tags: (await store.listTags(workspace, undefined, all)).tags.map(({ order: _order, ...tag }) => tag),
  };
}

async function graphView(store: MemoryStore, workspace: string, place: { branch: string; doc: string }) {
  const ask = (more: object) =>
    store.queryNodes(workspace, { ...place, includeDeleted: false, limit: all, ...more });
  const { nodes } = await ask({ includeDeleted: true });
  const ids = nodes.flatMap((node) => (node.kind === "node" ? [node.id] : []));
  return {
    nodes,
    byType: await ask({ types: ["idea"] }),
    byTag: await ask({ tagsAny: ["red"] }),
    byStatus: await ask({ status: "open" }),
    byWord: await ask({ text: "alpha" }),
    edges: (await store.queryEdges(workspace, { ...place, ids, ends: "among", limit: all })).edges,
    // Reading nodes one by one takes a second per hundred nodes on PostgreSQL, so only a sample is read.
    // `nodes` contains all nodes.
    found: await Promise.all(
      ids
        .filter((_, at) => at % Math.ceil(ids.length / 200) === 0)
        .map((id) => store.findNode(workspace, place.branch, id, 100)),
    ),
    health: await store.checkGraph(workspace, place, all),
  };
}

async function taskView(store: MemoryStore, workspace: string) {
  const list = async (kind: "plan" | "task") =>
    (await store.listItems(workspace, { kind, after: 0, limit: all })).items;
  const tasks = await list("task");
  return {
    items: [...(await list("plan")), ...tasks],
    steps: await Promise.all(tasks.map(({ id }) => store.readSteps(workspace, id))),
    events: await store.readTaskEvents(workspace, { after: 0, limit: all }),
    jobs: await store.listJobs(workspace, { limit: all }),
  };
}

async function refView(store: MemoryStore, workspace: string, branch: string, doc: string) {
  const ref = await store.readRef(workspace, branch, doc);
  const log: { commits: Commit[] } = ref
    ? await store.readLog(workspace, ref.seq, undefined, all)
    : { commits: [] };
  return { ref, log: log.commits };
}

async function conflictsOf(store: MemoryStore, workspace: string, place: { into: string; doc: string }) {
  const { conflicts } = await store.listConflicts(workspace, { ...place, after: 0, limit: all });
  return conflicts.map(({ order: _order, ...conflict }): Conflict => conflict);
}

const orRefusal = (asked: Promise<unknown>) =>
  asked.catch((thrown: { code?: unknown }) => ({ refused: thrown.code ?? String(thrown) }));

const ofViews = ["seq", "last_seq", "base_seq", "lastSeq", "parent", "previous", "current"];
const ofLines = ["last_entry", "origin", "ordinal"];
const numbers = new Set([...ofViews, ...ofLines]);

export function numbersIn(view: unknown): Set<number> {
  const found = new Set<number>();
  walk(view, (number) => {
    found.add(number);
    return number;
  });
  return found;
}

/** Replaces each number with its rank, so that views of stores with different numbers can be compared. */
export function ranked(view: unknown): unknown {
  const order = [...numbersIn(view)].sort((one, other) => one - other);
  const places = new Map(order.map((number, index) => [number, index]));
  return walk(view, (number) => places.get(number) ?? -1);
}

function walk(value: unknown, visit: (number: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, visit));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      numbers.has(key) && typeof member === "number" ? visit(member) : walk(member, visit),
    ]),
  );
}
