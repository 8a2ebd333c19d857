import { nameOf, pinTag, thinkTypes } from "../../../domain/memory/cards/card.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { reasoningRef } from "../../../domain/tasks/item.ts";
import type {
  BranchesAnswer,
  GraphAnswer,
  MemoryEdge,
  MemoryNode,
  NotesAnswer,
  WorkspacesAnswer,
} from "../../wire-memory.ts";
import { type Query, wholeAnswer } from "../answer.ts";
import { answerCards, answerSignals } from "./card-answers.ts";
import { answerConflicts } from "./conflict-answers.ts";
import { askGraph, type MemorySource, plainEdge } from "./memory-source.ts";
import { answerTasks } from "./task-answers.ts";

/** Answers `/api/memory/{name}`, or returns `undefined` for an unknown name. Operations apply locks and masks. */
export async function answerMemory(source: MemorySource, name: string, query: Query): Promise<unknown> {
  switch (name) {
    case "workspaces":
      return answerWorkspaces(source);
    case "branches":
      return answerBranches(source, query);
    case "tasks":
      return answerTasks(source, query);
    case "notes":
      return answerNotes(source, query);
    case "decisions":
      return source.ask("decisions", { workspace: query.text("workspace"), limit: 100, ...wholeAnswer });
    case "cards":
      return answerCards(source, query);
    case "signals":
      return answerSignals(source, query);
    case "graph":
      return answerGraph(source, query);
    case "conflicts":
      return answerConflicts(source, query);
    default:
      return undefined;
  }
}

async function answerWorkspaces(source: MemorySource): Promise<WorkspacesAnswer> {
  const { workspace, workspaces } = source;
  const inUse = await source.listWorkspaces(workspace);
  return { workspaces: [...new Set([...inUse, workspace, ...workspaces])], inUse, current: workspace };
}

/** How many branches get a card count. Counting reads every card, so more would make the page wait. */
const countedBranches = 24;
const mostCounted = 200;

async function answerBranches({ ask, queryNodes }: MemorySource, query: Query): Promise<BranchesAnswer> {
  const { workspace, checkout, branches, pagination } = (await ask("branch_list", {
    workspace: query.text("workspace"),
    cursor: query.text("cursor"),
    limit: 200,
    ...wholeAnswer,
  })) as Omit<BranchesAnswer, "checkout"> & { checkout: string | null };
  const bases = new Map(branches.map(({ name, base_branch }) => [name, base_branch]));
  const counted = await Promise.all(
    branches.map(async (branch, at) => {
      if (at >= countedBranches) return branch;
      const count = async (doc: string) => {
        const cards = { types: thinkTypes, includeDeleted: false, limit: mostCounted };
        const { nodes, hasMore } = await queryNodes(workspace, { branch: branch.name, doc, ...cards });
        return { doc, cards: { count: nodes.length, has_more: hasMore } };
      };
      const [doc, ...others] = graphDocsOf(branch.name, bases);
      const found = await count(doc);
      for (const other of found.cards.count === 0 ? others : []) {
        const inherited = await count(other);
        if (inherited.cards.count > 0) return { ...branch, ...inherited };
      }
      return { ...branch, ...found };
    }),
  );
  return { workspace, ...(checkout !== null && { checkout }), branches: counted, pagination };
}

/**
 * Returns the documents that may contain a branch's cards. A plan or task has its own document, which also
 * contains the cards of branches that were forked from its branch.
 */
function graphDocsOf(
  branch: string,
  bases: ReadonlyMap<string, string | null | undefined>,
): [string, ...string[]] {
  const own = ownGraphDoc(branch);
  if (own !== undefined) return [own];
  const seen = new Set([branch]);
  for (let base = bases.get(branch); base && !seen.has(base); base = bases.get(base)) {
    seen.add(base);
    const inherited = ownGraphDoc(base);
    if (inherited !== undefined) return [defaultDocs.graph, inherited];
  }
  return [defaultDocs.graph];
}

function ownGraphDoc(branch: string): string | undefined {
  const own = reasoningRef(branch.slice(branch.indexOf("/") + 1));
  return own.branch === branch ? own.graph_doc : undefined;
}

async function answerGraph({ ask, workspace: own }: MemorySource, query: Query): Promise<GraphAnswer> {
  const cursor = query.number("cursor", { min: 0, max: Number.MAX_SAFE_INTEGER, standard: 0 });
  const found = await askGraph<MemoryNode, MemoryEdge>(ask, {
    workspace: query.text("workspace"),
    branch: query.text("branch"),
    doc: query.text("doc"),
    cursor: cursor === 0 ? undefined : cursor,
  });
  const { branch, doc, pagination } = found;
  const workspace = query.text("workspace") ?? own;
  const id = query.text("id");
  const steps = query.number("steps", { min: 1, max: 3, standard: 2 });
  const { nodes, edges } = id === undefined ? found : nearNodes(found, id, steps);
  return { workspace, branch, doc, nodes, edges: edges.map(plainEdge), pagination };
}

type Graph = { nodes: readonly MemoryNode[]; edges: readonly MemoryEdge[] };

/** Finds the nodes within `steps` of a node, in either direction of the edges, with their distance. */
function nearNodes({ nodes, edges }: Graph, id: string, steps: number) {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    for (const [one, other] of [[from, to] as const, [to, from] as const]) {
      const list = neighbours.get(one);
      if (list) list.push(other);
      else neighbours.set(one, [other]);
    }
  }
  const distances = new Map([[id, 0]]);
  let rim = [id];
  for (let distance = 1; distance <= steps; distance += 1) {
    const next = rim.flatMap((node) => neighbours.get(node) ?? []).filter((node) => !distances.has(node));
    for (const node of next) distances.set(node, distance);
    rim = [...new Set(next)];
  }
  const near = nodes.flatMap((node) => {
    const distance = distances.get(node.id);
    return distance === undefined ? [] : [{ ...node, distance }];
  });
  return { nodes: near, edges: edges.filter(({ from, to }) => distances.has(from) && distances.has(to)) };
}

const mostNotes = 200;
const mostRules = 50;

async function answerNotes(source: MemorySource, query: Query): Promise<NotesAnswer> {
  const { ask, mask } = source;
  const asked = query.text("workspace");
  // The operation also decides whether the workspace may be read.
  const { docs, branch } = (await ask("docs_list", {
    workspace: asked,
    limit: 100,
    ...wholeAnswer,
  })) as unknown as Pick<NotesAnswer, "docs"> & { branch: string };
  const workspace = asked ?? source.workspace;
  const { notes, total } = await source.listNotes(workspace, undefined, mostNotes);
  const pinned = { checkout: branch, facets: [`tag:${pinTag}`], drafts: true, limit: mostRules };
  const rules = await source.linkedCards(workspace, pinned);
  return {
    workspace,
    notes: notes.map(({ seq, ts_ms, title, content, agent_id, branch: written, meta }) => ({
      seq,
      at: ts_ms,
      branch: written,
      ...(title !== undefined && { title: mask(title) }),
      content: mask(content),
      ...(agent_id !== undefined && { agent: agent_id }),
      ...thoughtIn(meta),
    })),
    total,
    rules: rules.cards.map((card) => ({
      id: card.id,
      type: card.type,
      title: mask(nameOf(card)),
      ...(card.text !== undefined && { text: mask(card.text) }),
      branch: card.branch,
      at: card.last_ts_ms,
      ...thoughtIn(card.meta),
    })),
    rulesTotal: rules.total,
    docs: await listDocs(source, workspace, { branch, docs }),
  };
}

type Docs = NotesAnswer["docs"];

/** Lists the documents on the most recent branches. Each document appears once, with its latest write. */
async function listDocs(
  { ask, listDocs: docsOf }: MemorySource,
  workspace: string,
  known: { branch: string; docs: Docs },
): Promise<Docs> {
  const listed = await ask("branch_list", { workspace, limit: countedBranches, ...wholeAnswer });
  const others = (listed["branches"] as { name: string }[]).filter(({ name }) => name !== known.branch);
  const found = await Promise.all(others.map(({ name }) => docsOf(workspace, name)));
  const docs = new Map<string, Docs[number]>();
  for (const doc of [known.docs, ...found].flat()) {
    const before = docs.get(`${doc.doc} ${doc.form}`);
    if (!before || before.last_seq < doc.last_seq) docs.set(`${doc.doc} ${doc.form}`, doc);
  }
  return [...docs].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, doc]) => doc);
}

/** Returns the ID of a thought, which agents store in `meta.thought` as `session:number`. */
const thoughtIn = (meta: Record<string, unknown> | undefined): { thought?: string } => {
  const thought = meta?.["thought"];
  return typeof thought === "string" ? { thought } : {};
};
