import { createHash, type Hash } from "node:crypto";
import { describeTable, dumpTables, stagingPrefix, type TableName } from "../../domain/memory/dump-tables.ts";
import type { MemoryChange } from "../../domain/memory/steps/changes.ts";
import type { BranchRow, Need, WorkspaceRow, Writes } from "../../domain/memory/steps/rows.ts";
import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import type {
  MemoryLine,
  MemoryTransfer,
  Replaying,
  WorkspaceLine,
  WorkspaceOutcome,
} from "../../ports/memory/memory-dump.ts";
import { dumpMemory, workspaceOf } from "./dump-memory.ts";
import { noNumbers, noWorkspace, readSequence, replayLines } from "./replay-memory.ts";

export interface MemoryRestore {
  /**
   * Restores lines in one short transaction. For each line, returns why it was skipped, as the end of a
   * sentence. The workspace stays invisible until `finish`.
   */
  take(lines: readonly MemoryLine[]): Promise<(string | undefined)[]>;
  /** Makes everything that was restored visible at once. */
  finish(): Promise<WorkspaceOutcome[]>;
  abandon(): Promise<void>;
}

type Restored = { line: WorkspaceLine; entries: number; versions: number };

const numbers = new Set(["seq", "base_seq", "last_entry", "origin", "parent"]);

const isTable = (kind: string): kind is TableName => Object.hasOwn(dumpTables, kind);

const isNumber = (kind: string, field: string): boolean =>
  isTable(kind)
    ? field === "seq" ||
      ["number", "moment", "commit"].includes(describeTable(kind).fields[field]?.kind ?? "")
    : numbers.has(field);

/**
 * Returns a line as text with its numbers replaced. Numbers depend on a store's other writes, but the text is
 * the same in every store.
 */
export function textOf(line: MemoryLine): string {
  const [[kind, fields]] = Object.entries(line) as [[string, object]];
  if (isTable(kind) && describeTable(kind).savesWork) return "";
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    isNumber(kind, name) && value !== undefined ? "a number" : value,
  ]);
  return `${canonicalJson({ [kind]: Object.fromEntries(shown) })}\n`;
}

/**
 * Restores workspaces as they were. Never changes an existing workspace. Numbers stay the same if the store
 * has not assigned any number yet. Otherwise, they move above `lastSeq` and above the store's own numbers, in
 * the same order. A number mentioned in text therefore never refers to anything else.
 */
export function restoreMemory(store: MemoryTransfer, lastSeq: number): MemoryRestore {
  const staged = new Map<string, Restored>();
  /** Digests of the dump's lines for workspaces that already exist in the store. */
  const standing = new Map<string, Hash>();
  let numbers = noNumbers;

  async function open(line: WorkspaceLine): Promise<string | undefined> {
    const { name } = line;
    if (staged.has(name) || standing.has(name)) return "appears twice";
    if (await store.replay(() => isThere(name)))
      standing.set(name, createHash("sha256").update(textOf({ workspace: line })));
    else {
      await discard(name);
      await store.replay(() => stage(line));
      staged.set(name, { line, entries: 0, versions: 0 });
    }
    return undefined;
  }

  async function discard(name: string): Promise<void> {
    while (!(await store.discardSome(stagingPrefix + name)));
  }

  async function replay(lines: readonly MemoryLine[]): Promise<readonly (string | undefined)[]> {
    const outcome = await store.replay((at) => replayLines(lines, staged.keys(), numbers, lastSeq, at));
    numbers = outcome.numbers;
    for (const [index, line] of lines.entries()) if (outcome.problems[index] === undefined) count(line);
    return outcome.problems;
  }

  function count(line: MemoryLine): void {
    const restored = staged.get(workspaceOf(line));
    if (!restored) return;
    if ("entry" in line) restored.entries += 1;
    if ("version" in line) restored.versions += 1;
  }

  /** Replays lines only for new workspaces. Digests the lines for other workspaces, to compare them later. */
  async function take(lines: readonly MemoryLine[]): Promise<(string | undefined)[]> {
    const problems: (string | undefined)[] = lines.map(() => undefined);
    const due: { index: number; line: MemoryLine }[] = [];
    for (const [index, line] of lines.entries()) {
      const digest = standing.get(workspaceOf(line));
      if ("workspace" in line) problems[index] = await open(line.workspace);
      else if (digest) digest.update(textOf(line));
      else if (staged.has(workspaceOf(line))) due.push({ index, line });
      else problems[index] = noWorkspace;
    }
    if (due.length === 0) return problems;
    const found = await replay(due.map(({ line }) => line));
    for (const [at, { index }] of due.entries()) problems[index] = found[at];
    return problems;
  }

  async function compare(workspace: string, digest: Hash): Promise<WorkspaceOutcome> {
    const ours = createHash("sha256");
    for await (const { lines } of dumpMemory(store, workspace))
      for (const line of lines) ours.update(textOf(line));
    if (ours.digest("hex") === digest.digest("hex")) return { workspace, outcome: "unchanged" };
    return {
      workspace,
      outcome: "refused",
      reason: "the store has a workspace with this name and different contents",
    };
  }

  async function finish(): Promise<WorkspaceOutcome[]> {
    const { shown, at } = await store.replay((at) => show([...staged.values()], lastSeq, at));
    const outcomes: WorkspaceOutcome[] = [];
    for (const { workspace, problem, change } of shown) {
      const { entries = 0, versions = 0 } = staged.get(workspace) ?? {};
      if (problem !== undefined) await discard(workspace);
      if (change) store.announce([{ workspace, change, at }]);
      outcomes.push(
        problem === undefined
          ? { workspace, outcome: "restored", entries, versions }
          : { workspace, outcome: "refused", reason: problem },
      );
    }
    staged.clear();
    for (const [workspace, digest] of standing) outcomes.push(await compare(workspace, digest));
    return outcomes;
  }

  return {
    take,
    finish,
    async abandon() {
      for (const name of staged.keys()) await discard(name);
      staged.clear();
    },
  };
}

const workspaceNeed = (workspace: string) =>
  ({ kind: "workspace", keys: [""], workspace, wid: undefined, scope: undefined }) as const satisfies Need;

function* isThere(name: string): Replaying<boolean> {
  const [[found]] = (yield { load: [workspaceNeed(name)] }) as [[WorkspaceRow | undefined]];
  return found !== undefined;
}

function* stage({
  name,
  created_at_ms: createdAtMs,
  project_guard,
  project,
}: WorkspaceLine): Replaying<void> {
  const workspace = stagingPrefix + name;
  const lastRow: Need = { ...workspaceNeed(workspace), kind: "lastRow", keys: ["workspace"] };
  const [[last]] = (yield { load: [lastRow] }) as [[number]];
  yield {
    apply: {
      workspace: [{ wid: last + 1, name: workspace, projectGuard: project_guard, project, createdAtMs }],
    },
  };
}

type Shown = { workspace: string; problem?: string; change?: MemoryChange };

/** Gives the staged workspaces their names and announces them to subscribers. */
function* show(
  staged: readonly Restored[],
  lastSeq: number,
  at: Date,
): Replaying<{ shown: Shown[]; at: Date }> {
  const shown: Shown[] = [];
  if (staged.length === 0) return { shown, at };
  const sequence = yield* readSequence();
  // A branch's number may appear only in its uid. Even then, it must not be assigned again.
  let last = Math.max(sequence.last, lastSeq);
  const writes: Required<Pick<Writes, "workspace" | "checkout" | "change">> = {
    workspace: [],
    checkout: [],
    change: [],
  };
  for (const { line, entries, versions } of staged) {
    const { name, checkout, created_at_ms: createdAtMs, project_guard: projectGuard, project } = line;
    const needs = [workspaceNeed(name), workspaceNeed(stagingPrefix + name)];
    const [[there], [hidden]] = (yield { load: needs }) as [[WorkspaceRow?], [WorkspaceRow?]];
    if (there) shown.push({ workspace: name, problem: "it was created during the restore" });
    else if (!hidden) shown.push({ workspace: name, problem: "another restore has started" });
    if (there || !hidden) continue;
    const { wid } = hidden;
    const toShow: Need = { ...workspaceNeed(name), kind: "branchToShow", keys: [checkout], wid };
    const [[branch]] = (yield { load: [toShow] }) as [[BranchRow?]];
    if (!branch) {
      shown.push({ workspace: name, problem: "none of its branches are in the dump" });
      continue;
    }
    const change: MemoryChange = { type: "workspace_restored", data: { entries, versions } };
    last += 1;
    writes.workspace.push({ wid, name, projectGuard, project, createdAtMs });
    writes.checkout.push({ wid, bid: branch.bid });
    writes.change.push({ seq: last, wid, change, tsMs: at.getTime() });
    shown.push({ workspace: name, change });
  }
  const rows = Object.fromEntries(Object.entries(writes).filter(([, some]) => some.length > 0));
  yield { apply: { sequence: [last], ...rows } };
  return { shown, at };
}
