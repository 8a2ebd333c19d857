import { describeTable } from "../../domain/memory/dump-tables.ts";
import { keyOf } from "../../domain/memory/graph.ts";
import { endOfTime } from "../../domain/memory/lineage.ts";
import { type Deciding, type Draft, known, need } from "../../domain/memory/steps/draft.ts";
import type { GraphScope } from "../../domain/memory/steps/rows.ts";
import type { MemoryLine } from "../../ports/memory/memory-dump.ts";
import { rowOf } from "./dump-memory.ts";

type Renumber = (old: number) => number;

/** The keys that the lines refer to, by document and branch. */
type Mentioned = {
  uids: Set<string>;
  names: Set<string>;
  docs: Set<string>;
  recorded: Set<number>;
  logs: { uid: string; doc: string; sources: string[] }[];
  graphs: { uid: string; doc: string; keys: string[] }[];
};

/** Loads everything that the lines in a part need, in three rounds. */
export function* needAhead(draft: Draft, lines: readonly MemoryLine[], renumbered: Renumber): Deciding<void> {
  if (lines.length === 0) return;
  const { uids, names, docs, recorded, logs, graphs } = mentionedIn(lines, renumbered);
  yield* need(
    draft,
    { kind: "branchByUid", keys: [...uids] },
    { kind: "branch", keys: [...names] },
    { kind: "doc", keys: [...docs] },
    { kind: "recorded", keys: [...recorded] },
    { kind: "lastRow", keys: ["branch", "doc"] },
  );
  const found = <Stream extends { uid: string; doc: string }>(stream: Stream) => {
    const branch = known(draft, "branchByUid", stream.uid);
    return branch ? [{ ...stream, bid: branch.bid, number: known(draft, "doc", stream.doc) }] : [];
  };
  const [inLogs, inGraphs] = [logs.flatMap(found), graphs.flatMap(found)];
  const bids = [...new Set(inGraphs.map(({ bid }) => bid))];
  yield* need(
    draft,
    { kind: "lineage", keys: bids },
    { kind: "branchedAt", keys: bids },
    ...inLogs.map(({ bid, doc }) => ({ kind: "log", keys: [doc], scope: { bid } }) as const),
    ...inGraphs.map(({ bid, doc }) => ({ kind: "graph", keys: [doc], scope: { bid } }) as const),
    ...inLogs.flatMap(({ bid, number, sources }) =>
      number === undefined || sources.length === 0
        ? []
        : [{ kind: "source", keys: [...new Set(sources)], scope: ownScope(bid, number) } as const],
    ),
  );
  yield* need(
    draft,
    ...inGraphs.flatMap(({ bid, number, keys }) => {
      if (number === undefined) return [];
      const scope: GraphScope = { bid, doc: number, lineage: known(draft, "lineage", bid) };
      return [
        { kind: "head", keys: [...new Set(keys)], scope } as const,
        { kind: "tally", keys: [number], scope } as const,
      ];
    }),
  );
}

function mentionedIn(lines: readonly MemoryLine[], renumbered: Renumber): Mentioned {
  const all: Mentioned = {
    uids: new Set(),
    names: new Set(),
    docs: new Set(),
    recorded: new Set(),
    logs: [],
    graphs: [],
  };
  const streams = { logs: new Map<string, string[]>(), graphs: new Map<string, string[]>() };
  const inStream = (form: "logs" | "graphs", uid: string, doc: string, word: string | undefined) => {
    all.uids.add(uid);
    all.docs.add(doc);
    const id = `${uid} ${doc}`;
    const words = streams[form].get(id) ?? [];
    if (words.length === 0 && !streams[form].has(id)) {
      streams[form].set(id, words);
      if (form === "logs") all.logs.push({ uid, doc, sources: words });
      else all.graphs.push({ uid, doc, keys: words });
    }
    if (word !== undefined) words.push(word);
  };
  for (const line of lines) {
    if ("branch" in line) {
      const { uid, base, name } = line.branch;
      all.uids.add(uid);
      all.names.add(name);
      if (base !== undefined) all.uids.add(base);
    } else if ("entry" in line)
      inStream("logs", line.entry.branch, line.entry.doc, line.entry.source_event_id);
    else if ("version" in line)
      inStream("graphs", line.version.branch, line.version.doc, keyOf(line.version.state));
    else if ("commit" in line) all.recorded.add(renumbered(line.commit.seq));
    else mentionedInRow(line, renumbered, all, inStream);
  }
  return all;
}

function mentionedInRow(
  line: MemoryLine,
  renumbered: Renumber,
  all: Mentioned,
  inStream: (form: "logs", uid: string, doc: string, word: undefined) => void,
): void {
  const row = rowOf(line);
  if (!row) return;
  const { of, fields } = describeTable(row.name);
  if (of === "stream") inStream("logs", String(row.fields["branch"]), String(row.fields["doc"]), undefined);
  for (const [field, { kind }] of Object.entries(fields)) {
    const value = row.fields[field];
    if (value === undefined) continue;
    if (kind === "branch") all.uids.add(String(value));
    if (kind === "doc") all.docs.add(String(value));
    if (kind === "commit") all.recorded.add(renumbered(Number(value)));
  }
}

/** Returns the scope of what a branch itself wrote to a document, without the branch's bases. */
export const ownScope = (bid: number, doc: number): GraphScope => ({
  bid,
  doc,
  lineage: [{ branch: bid, after: 0, upTo: endOfTime }],
});
