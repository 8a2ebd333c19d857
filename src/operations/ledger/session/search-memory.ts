import { textOf } from "../../../domain/notebook/notebook.ts";
import { type MemoryHit, type MemoryText, rankMemory } from "../../../domain/search/memory-hits.ts";
import { oneOfEach, textsOfNode } from "../../../domain/search/node-texts.ts";
import { parseQuestion } from "../../../domain/search/question.ts";
import { anyone } from "../../../ports/memory/memory-store.ts";
import { type OperationContext, onlyProject } from "../../pipeline/context.ts";
import {
  checkGuard,
  chooseWorkspace,
  findOwnWorkspace,
  listOpenWorkspaces,
  ownWorkspace,
  workspaceAfter,
} from "../../pipeline/workspace.ts";

export const anyWord = "*";

/** The maximum number of workspaces to search, most recently written first. */
const maxWorkspaces = 50;
const maxProjects = 20;
/** The maximum number of nodes to read per word and workspace. */
const nodesOfWord = 500;
const [maxItems, maxJobs, maxNotes, maxNotebooks, maxNotebookChars] = [1_000, 200, 200, 20, 2_000_000];

type Asked = { workspace?: string | undefined; project?: string | undefined };

/**
 * Returns the requested workspace. If no workspace was requested, returns the workspaces of the requested
 * projects, or the caller's own. A workspace belongs to the project that first wrote to it.
 */
export async function searchedWorkspaces(context: OperationContext, asked: Asked): Promise<string[]> {
  const { settings, memory, callerState } = context;
  const own = ownWorkspace(settings, context.caller);
  if (asked.workspace !== undefined && asked.workspace !== anyWord) {
    const name = chooseWorkspace(settings, own, asked.workspace);
    checkGuard(settings, await memory.readWorkspace(name, anyone));
    return [name];
  }
  const project = onlyProject(settings) ?? asked.project ?? callerState.project;
  const isOwn = project === callerState.project;
  if (isOwn && asked.workspace === undefined) {
    const found = await findOwnWorkspace(context, context.caller);
    return found === undefined ? [] : [found];
  }
  const open = await listOpenWorkspaces(context, own, maxWorkspaces);
  if (project === anyWord) return ownFirst(open, own);
  const states = await Promise.all(open.map((name) => memory.readWorkspace(name, anyone)));
  const belongs = (name: string, at: number) => {
    const by = states[at]?.project;
    return by === undefined ? name === workspaceAfter(project) : by === project;
  };
  const found = open.filter((name, at) => belongs(name, at) || (isOwn && name === own));
  return ownFirst(found, own);
}

const ownFirst = (names: readonly string[], own: string): string[] =>
  names.toSorted((one, other) => Number(other === own) - Number(one === own));

export async function searchedProjects(
  { ledger, callerState }: OperationContext,
  scope: string | undefined,
): Promise<string[]> {
  if (scope !== undefined) return [scope];
  const used = (await ledger.countByProject(maxProjects)).map(({ project }) => project);
  return [...new Set([callerState.project, ...used])].slice(0, maxProjects);
}

type MemoryQuestion = {
  query: string;
  order: "relevance" | "newest";
  since?: string | undefined;
  until?: string | undefined;
  earlier: boolean;
};

export async function searchMemory(
  context: OperationContext,
  workspaces: readonly string[],
  projects: readonly string[],
  { query, order, since, until, earlier }: MemoryQuestion,
): Promise<MemoryHit[]> {
  const words = parseQuestion(query).terms.map(({ wanted }) => wanted);
  const found = await Promise.all([
    ...workspaces.map((workspace) => textsOf(context, workspace, words, earlier)),
    ...projects.map((project) => textsOfProject(context, project)),
  ]);
  const [from, to] = [since, until].map((time) => (time === undefined ? undefined : Date.parse(time)));
  const texts = found
    .flat()
    .filter(({ atMs }) => atMs >= (from ?? 0) && atMs <= (to ?? Number.POSITIVE_INFINITY));
  return rankMemory(query, texts, order, context.settings.secrets.forAnswer);
}

async function textsOf(
  { memory }: OperationContext,
  workspace: string,
  words: readonly string[],
  earlier: boolean,
): Promise<MemoryText[]> {
  const [state, nodes, anchors, { jobs }, ...items] = await Promise.all([
    memory.readWorkspace(workspace, anyone),
    memory.findWords(workspace, words, { limit: nodesOfWord, earlier }),
    memory.listAnchors(workspace),
    memory.listJobs(workspace, { limit: maxJobs }),
    ...(["plan", "task"] as const).map((kind) =>
      memory.listItems(workspace, { kind, after: 0, limit: maxItems }),
    ),
  ]);
  const named = items.flatMap((page) =>
    page.items.map(
      ({
        id,
        kind,
        title,
        status,
        description = "",
        context: about = "",
        updated_at_ms: atMs,
      }): MemoryText => {
        const text = `${description}\n${about}`.trim();
        return { kind, id, workspace, title, status, text, atMs, rejected: status === "CANCELED" };
      },
    ),
  );
  const known = new Set(named.map(({ id }) => id));
  return [
    ...oneOfEach(nodes, state?.checkout).flatMap((node) => textsOfNode(workspace, node, known)),
    ...named,
    ...anchors.map(
      ({ id, title, kind, status, description, aliases, refs, updated_at_ms: atMs }): MemoryText => {
        const text = [description, ...aliases, ...refs].filter(Boolean).join("\n");
        return { kind: "anchor", id, workspace, type: kind, status, title, text, atMs };
      },
    ),
    ...jobs.map(({ id, kind, status, title, prompt, summary, updated_at_ms: atMs }): MemoryText => {
      const text = [prompt, summary].filter(Boolean).join("\n");
      return { kind: "job", id, workspace, type: kind, status, title, text, atMs };
    }),
  ];
}

async function textsOfProject(
  { knowledge, notebooks }: OperationContext,
  project: string,
): Promise<MemoryText[]> {
  const page = { project, limit: maxNotes, offset: 0, sortBy: "updatedAt", sortOrder: "desc" } as const;
  const kinds = ["pattern", "scratchpad"] as const;
  const notes = await Promise.all(kinds.map((kind) => knowledge.listNotes({ ...page, kind })));
  const { notebooks: heads } = await notebooks.listNotebooks({
    project,
    trash: false,
    limit: maxNotebooks,
    offset: 0,
  });
  const texts = notes.flatMap(({ notes: some }, at) =>
    some.map(({ id, title, description, tags, content, updatedAt }): MemoryText => {
      const text = [description, content, ...tags].filter(Boolean).join("\n");
      return { kind: kinds[at] ?? "pattern", id, title, text, atMs: Date.parse(updatedAt) };
    }),
  );
  let left = maxNotebookChars;
  for (const { id, title, updatedAt: atMs } of heads) {
    const notebook = left > 0 ? await notebooks.readNotebook(project, id) : undefined;
    if (!notebook) continue;
    const text = notebook.cells
      .map((cell) => textOf(cell))
      .join("\n")
      .slice(0, left);
    left -= text.length;
    texts.push({ kind: "notebook", id, title, text, atMs });
  }
  return texts;
}
