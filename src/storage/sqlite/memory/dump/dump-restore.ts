import { createHash, type Hash } from "node:crypto";
import { describeTable, dumpTables, type TableName } from "../../../../domain/memory/dump-tables.ts";
import type { Clock } from "../../../../kernel/clock.ts";
import { canonicalJson } from "../../../../kernel/json/canonical-json.ts";
import type { EventSink } from "../../../../ports/events.ts";
import type {
  MemoryLine,
  MemoryPage,
  MemoryRestore,
  WorkspaceLine,
  WorkspaceOutcome,
} from "../../../../ports/memory/memory-dump.ts";
import type { WithConnection } from "../../connection/access.ts";
import { nextSeq } from "../../connection/sequence.ts";
import { recordChange } from "../changes.ts";
import { findWorkspace } from "../places.ts";
import { replayLines } from "./dump-replay.ts";
import { discardPiece, findStaged, publishWorkspace, stageWorkspace } from "./dump-staging.ts";
import { noNumbers, noWorkspace, setNext } from "./dump-target.ts";

type Restored = { line: WorkspaceLine; entries: number; versions: number };

export type RestoreParts = {
  read: WithConnection;
  write: WithConnection;
  dump: (workspace: string) => AsyncIterable<MemoryPage>;
  /** Called once something new can be seen. */
  done: () => void;
  clock: Clock;
  publish: EventSink;
};

function workspaceOf(line: MemoryLine): string {
  if ("workspace" in line) return line.workspace.name;
  const [{ workspace }] = Object.values(line) as [{ workspace: string }];
  return workspace;
}

const numbers = new Set(["seq", "base_seq", "last_entry", "origin", "parent"]);

const isNumber = (kind: string, field: string): boolean =>
  Object.hasOwn(dumpTables, kind)
    ? field === "seq" ||
      ["number", "commit"].includes(describeTable(kind as TableName).fields[field]?.kind ?? "")
    : numbers.has(field);

/** A line as it reads in any store: which numbers it has depends on what else was written there, that it has them does not. */
function textOf(line: MemoryLine): string {
  const [[kind, fields]] = Object.entries(line) as [[string, object]];
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    isNumber(kind, name) && value !== undefined ? "a number" : value,
  ]);
  return `${canonicalJson({ [kind]: Object.fromEntries(shown) })}\n`;
}

export function createMemoryRestore(
  { read, write, dump, done, clock, publish }: RestoreParts,
  lastSeq: number,
): MemoryRestore {
  const staged = new Map<string, Restored>();
  /** What the dump says of workspaces that the store has already. */
  const standing = new Map<string, Hash>();
  let numbers = noNumbers;

  async function open(line: WorkspaceLine): Promise<string | undefined> {
    const { name } = line;
    if (staged.has(name) || standing.has(name)) return "is there twice";
    if (await read((connection) => findWorkspace(connection, name) !== undefined))
      standing.set(name, createHash("sha256").update(textOf({ workspace: line })));
    else {
      await discard(name);
      await write((connection) => stageWorkspace(connection, line));
      staged.set(name, { line, entries: 0, versions: 0 });
    }
    return undefined;
  }

  async function discard(name: string): Promise<void> {
    while (!(await write((connection) => discardPiece(connection, name))));
  }

  async function replay(lines: readonly MemoryLine[]): Promise<(string | undefined)[]> {
    const outcome = await write((connection) => {
      const places = new Map([...staged.keys()].map((name) => [name, findStaged(connection, name)]));
      return replayLines(connection, (name) => places.get(name), numbers, lastSeq, lines);
    });
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

  /** Only lines of workspaces that are new here are replayed; the others are only remembered, to be compared. */
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
    for await (const { lines } of dump(workspace)) for (const line of lines) ours.update(textOf(line));
    if (ours.digest("hex") === digest.digest("hex")) return { workspace, outcome: "unchanged" };
    return {
      workspace,
      outcome: "refused",
      reason: "the store has a workspace of this name that holds something else",
    };
  }

  async function finish(): Promise<WorkspaceOutcome[]> {
    const at = clock();
    const published = await write((connection) => {
      // The number of a branch is in its uid only, and must not be given out again.
      if (staged.size > 0) setNext(connection, lastSeq + 1);
      return [...staged].map(([name, { line, entries, versions }]) => {
        const problem = publishWorkspace(connection, line);
        const place = problem === undefined && findWorkspace(connection, name);
        if (place)
          recordChange(
            place,
            nextSeq(connection),
            { type: "workspace_restored", data: { entries, versions } },
            at,
          );
        return { name, problem };
      });
    });
    const outcomes: WorkspaceOutcome[] = [];
    for (const { name: workspace, problem } of published) {
      const { entries = 0, versions = 0 } = staged.get(workspace) ?? {};
      if (problem !== undefined) await discard(workspace);
      else
        publish({
          type: "workspace_restored",
          workspace,
          timestamp: at.toISOString(),
          data: { entries, versions },
        });
      outcomes.push(
        problem === undefined
          ? { workspace, outcome: "restored", entries, versions }
          : { workspace, outcome: "refused", reason: problem },
      );
    }
    staged.clear();
    for (const [workspace, digest] of standing) outcomes.push(await compare(workspace, digest));
    done();
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
