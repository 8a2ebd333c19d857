import * as z from "zod";
import { nodeId } from "../../../domain/ledger/thought.ts";
import type { Entry } from "../../../domain/memory/entry.ts";
import type { MemoryChange } from "../../../domain/memory/steps/changes.ts";
import { momentOf } from "../../../domain/memory/views/board.ts";
import { count } from "../../../kernel/numbers.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { quote } from "../../../kernel/text.ts";
import type { FeedEntry, WorkspaceEntry } from "../../../ports/feed.ts";
import { findOwnSession } from "../../pipeline/caller-state.ts";
import { type MemoryContext, ownProject } from "../../pipeline/context.ts";
import { agentId, clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";

/** Items without a seq are compared by `ts_ms`. */
export type Since = { seq: number; ts_ms: number };

const digits = /^\d{1,15}$/;

/** Accepts a seq, an ISO time, or "me" for the caller's own last write. */
export async function resolveSince(memory: MemoryContext<"INVALID_PAYLOAD">, since: string): Promise<Since> {
  const time = Date.parse(since);
  if (since !== "me" && !digits.test(since)) {
    if (Number.isNaN(time)) return refuse(memory, since);
    return { seq: await seqBefore(memory, time), ts_ms: time };
  }
  const seq = since === "me" ? await ownLast(memory) : Number(since);
  const [entry] = seq > 0 ? await memory.feed.readFeed(seq - 1, 1) : [];
  return { seq, ts_ms: entry ? timeOf(entry) : 0 };
}

const refuse = ({ fail, workspace }: MemoryContext<"INVALID_PAYLOAD">, since: string): never =>
  fail("INVALID_PAYLOAD", `since is ${quote(since, 60)}. It must be an ISO time, a seq or "me".`, {
    details: { hints: [{ kind: "type", field: "since", expected: 'a seq, an ISO time or "me"' }] },
    recovery: {
      hint: "List the changes since your last write.",
      operation: "changes",
      args: { workspace, since: "me" },
    },
  });

/** Returns the last seq that the agent, conversation or connection wrote, including thoughts. */
async function ownLast(memory: MemoryContext): Promise<number> {
  const { ledger, caller, workspace, agent } = memory;
  const written = agent.keys.length === 0 ? 0 : await memory.memory.newestSeqBy(workspace, agent);
  const sessionId = await findOwnSession(memory, caller);
  const [thought] = sessionId === undefined ? [] : await ledger.readLatest(sessionId, undefined, 1);
  return Math.max(written, thought?.seq ?? 0);
}

const timeOf = (entry: FeedEntry): number =>
  Date.parse(entry.kind === "thought" ? entry.entry.data.timestamp : entry.at);

/** Finds the last seq before a time by binary search, because seqs grow with time. */
async function seqBefore({ feed }: Pick<MemoryContext, "feed">, time: number): Promise<number> {
  let [low, high] = [0, await feed.lastSeq()];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await feed.readFeed(middle, 1);
    if (next && timeOf(next) < time) low = next.seq;
    else high = middle;
  }
  return low;
}

/** A change that was shortened to fit a budget has only its number and kind. */
const changeSchema = z.strictObject({
  seq: z.int(),
  at: z.string().optional(),
  kind: z.string(),
  id: z.string().optional(),
  text: z.string().optional(),
  agent_id: z.string().optional(),
  branch: z.string().optional(),
});
type Change = z.input<typeof changeSchema>;

export const changes = defineMemory({
  name: "changes",
  title: "List recent changes",
  summary:
    "Shows what happened in the project since a time, a seq or your last write: thoughts, sessions, notes, cards, tasks, jobs and merges. Pass the returned since to continue.",
  effect: "read",
  input: {
    since: z
      .string()
      .min(1)
      .max(64)
      .default("me")
      .describe(
        'A seq, an ISO time, or "me" for the last write by this agent or session. Default: "me". If nothing was written, all changes are shown.',
      ),
    limit: clampedLimit(50),
    agent_id: agentId.optional().describe('Agent that "me" refers to.'),
  },
  advanced: ["agent_id"],
  output: {
    workspace: z.string(),
    project: z.string(),
    changes: z.array(changeSchema),
    since: z.int(),
    has_more: z.boolean(),
  },
  trim: {
    list: { key: "changes", oldest: "last", stub: ({ seq, kind, id }) => ({ seq, kind, id }) },
    adjust(result) {
      const shown = result["changes"] as Change[];
      return { ...result, since: shown.at(-1)?.seq ?? result["since"], has_more: true };
    },
    goesOn: (args, { since }) => [{ operation: "changes", args: { ...args, since: String(since) } }],
  },
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "from the beginning", given: "a task in focus", input: { since: "0" } },
    { title: "since your last write", given: "a task in focus", input: {} },
  ],

  async handle({ since, limit }, memory) {
    const { workspace, caller, settings } = memory;
    const project = ownProject(caller, settings);
    const { seq: after } = await resolveSince(memory, since);
    const { entries, reached, hasMore } = await readOwn(memory, project, after, limit);
    const texts = await textsOf(memory, entries);
    return {
      workspace,
      project,
      changes: entries.map((entry) => describe(entry, texts)),
      since: reached,
      has_more: hasMore,
    };
  },
});

const stride = 200;
/** The maximum number of batches that one call reads. The next call continues after them. */
const maxStrides = 50;

async function readOwn(
  { feed, workspace }: Pick<MemoryContext, "feed" | "workspace">,
  project: string,
  after: number,
  limit: number,
): Promise<{ entries: FeedEntry[]; reached: number; hasMore: boolean }> {
  const entries: FeedEntry[] = [];
  let reached = after;
  for (let turn = 0; turn < maxStrides; turn += 1) {
    const page = await feed.readFeed(reached, stride);
    for (const entry of page) {
      const isOwn = entry.kind === "memory" ? entry.workspace === workspace : entry.project === project;
      if (isOwn && entries.length === limit) return { entries, reached, hasMore: true };
      if (isOwn) entries.push(entry);
      reached = entry.seq;
    }
    if (page.length < stride) return { entries, reached, hasMore: false };
  }
  return { entries, reached, hasMore: true };
}

function tellingSeqs({ type, data }: MemoryChange): number[] {
  if (type === "cards_changed") return data.trace_seqs;
  return type === "note_committed" || type === "commit_created" || type === "task_changed" ? [data.seq] : [];
}

async function textsOf(
  { memory, workspace }: Pick<MemoryContext, "memory" | "workspace">,
  entries: readonly FeedEntry[],
): Promise<ReadonlyMap<number, Entry>> {
  const seqs = entries.flatMap((entry) => (entry.kind === "memory" ? tellingSeqs(entry.change) : []));
  const found = seqs.length === 0 ? [] : await memory.readEntriesAt(workspace, seqs);
  return new Map(found.map((entry) => [entry.seq, entry]));
}

const maxText = 200;

function describe(entry: FeedEntry, texts: ReadonlyMap<number, Entry>): Change {
  const { seq } = entry;
  const at = momentOf(timeOf(entry));
  if (entry.kind === "thought") {
    const { data } = entry.entry;
    return {
      seq,
      at,
      kind: "thought",
      id: nodeId(entry.sessionId, data),
      text: clipWhole(data.thought, maxText),
    };
  }
  if (entry.kind === "session") return { seq, at, kind: `session_${entry.change}`, id: entry.sessionId };
  return { seq, at, ...describeMemory(entry, texts) };
}

function describeMemory(
  { change }: WorkspaceEntry,
  texts: ReadonlyMap<number, Entry>,
): Omit<Change, "seq" | "at"> {
  const told = tellingSeqs(change).flatMap((seq) => texts.get(seq) ?? []);
  const [first] = told;
  const words = told
    .map(({ kind, title, content }) => (kind === "event" ? content : (title ?? content)))
    .join("; ");
  const by = first?.agent_id === undefined ? {} : { agent_id: first.agent_id };
  const text = words === "" ? {} : { text: clipWhole(words, maxText) };
  const { type, data } = change;
  switch (type) {
    case "note_committed":
    case "commit_created":
      return { kind: type, id: `${data.doc}@${data.seq}`, branch: data.branch, ...text, ...by };
    case "cards_changed":
      return { kind: type, ...cardOf(first), branch: data.branch, ...text, ...by };
    case "task_changed":
      return { kind: data.kind, id: data.target, ...text, ...by };
    case "job_changed":
      return { kind: type, id: data.job, text: data.status };
    case "conflict_resolved":
      return { kind: type, id: data.conflict_id, text: data.resolution };
    case "graph_merged":
      return {
        kind: type,
        branch: data.into,
        text: `${data.from}: ${data.merged} merged, ${count(data.conflicts, "conflict")}`,
      };
    default:
      return { kind: type, text: clipWhole(Object.values(data).flat().map(String).join(" "), maxText) };
  }
}

function cardOf(entry: Entry | undefined): { id?: string } {
  const id = entry?.meta?.["card_id"];
  return typeof id === "string" ? { id } : {};
}
