import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { memoryFailure, noCheckout, reservedBranch, unknownBranch } from "../../domain/memory/failures.ts";
import { defaultBranch, defaultDocs, isReservedBranch } from "../../domain/memory/limits.ts";
import { taskFailure } from "../../domain/tasks/failures.ts";
import { type Item, kindOf, reasoningRef } from "../../domain/tasks/item.ts";
import { quote } from "../../kernel/text.ts";
import type { Workspace } from "../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../pipeline/context.ts";
import { readSession } from "../pipeline/find-session.ts";

type ScopeCodes = "INVALID_PAYLOAD" | "UNKNOWN_ID";

export type AskedDocs = {
  target?: string | undefined;
  branch?: string | undefined;
  /** The branch that reads use, if it is not the target's own. */
  read_on?: string | undefined;
} & { [Doc in "notes_doc" | "graph_doc" | "trace_doc"]?: string | undefined };

/** `target` is set if the documents belong to a plan or task. */
export type ResolvedDocs = {
  target?: Item | undefined;
  branch: string;
  notes_doc: string;
  graph_doc: string;
  trace_doc: string;
};

/**
 * Only this file decides where in its workspace a call reads or writes. In order of precedence: an explicit target, the
 * requested branch and documents, the focus, and the checkout.
 */
export async function resolveDocs(
  memory: MemoryContext<ScopeCodes>,
  asked: AskedDocs,
): Promise<ResolvedDocs> {
  const place = await resolveWritableDocs(memory, asked);
  return { ...place, branch: asked.read_on ?? place.branch ?? checkoutOrDefault(memory) };
}

/** Resolves a session, whose thoughts are its trace. Returns `undefined` for other targets. */
export async function resolveSessionDocs(
  memory: Pick<MemoryContext, "ledger" | "settings">,
  target: string | undefined,
): Promise<ResolvedDocs | undefined> {
  if (target === undefined || kindOf(target) !== undefined) return undefined;
  const record = await readSession(memory.ledger, memory.settings, target);
  if (!record) return undefined;
  const { notes, graph, trace } = defaultDocs;
  return { branch: `session/${target}`, notes_doc: notes, graph_doc: graph, trace_doc: trace };
}

/** Resolves the documents of a write. The first write in a workspace uses its `main` branch. */
export async function resolveWritableDocs(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  asked: AskedDocs,
): Promise<Omit<ResolvedDocs, "branch"> & { branch: string | undefined }> {
  const { target, branch, notes_doc, graph_doc, trace_doc } = asked;
  const explicit = [branch, notes_doc, graph_doc, trace_doc].some((named) => named !== undefined);
  if (target !== undefined && explicit) chooseOne(memory);
  const id = target ?? (explicit ? undefined : focusOf(memory));
  if (id !== undefined) {
    return docsOfTarget(await requireTarget(memory, id));
  }
  return {
    branch: branch ?? (memory.state && ownCheckout(memory, memory.state)),
    notes_doc: notes_doc ?? defaultDocs.notes,
    graph_doc: graph_doc ?? defaultDocs.graph,
    trace_doc: trace_doc ?? defaultDocs.trace,
  };
}

export type AskedDoc = {
  target?: string | undefined;
  branch?: string | undefined;
  doc?: string | undefined;
};

export type ResolvedDoc = { branch: string; doc: string };

type DocKind = keyof typeof defaultDocs;

const withDoc = ({ target, branch, doc }: AskedDoc, kind: DocKind): AskedDocs => ({
  target,
  branch,
  [`${kind}_doc`]: doc,
});

export async function resolveDoc(
  memory: MemoryContext<ScopeCodes>,
  asked: AskedDoc,
  kind: DocKind,
): Promise<ResolvedDoc> {
  const place = await resolveDocs(memory, withDoc(asked, kind));
  return { branch: place.branch, doc: place[`${kind}_doc`] };
}

export async function resolveWritableDoc(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  asked: AskedDoc,
  kind: DocKind,
) {
  if (asked.branch !== undefined) refuseLedger(memory, asked.branch);
  const place = await resolveWritableDocs(memory, withDoc(asked, kind));
  return { branch: place.branch, doc: place[`${kind}_doc`] };
}

export type AskedMerge = { from: string; into?: string | undefined; merge_to_base?: boolean | undefined };

export async function resolveMergeTarget(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "NO_CHECKOUT" | "MERGE_NOT_SUPPORTED">,
  { from, into, merge_to_base }: AskedMerge,
): Promise<string> {
  const { workspace, fail } = memory;
  if (sessionOf(from) !== undefined) refuseSessionGraph(memory, from);
  refuseLedger(memory, from);
  if (into !== undefined) refuseLedger(memory, into);
  const chosen = merge_to_base ? await baseOf(memory, from, into) : (into ?? checkoutOf(memory));
  if (chosen !== from) return chosen;
  return fail("INVALID_PAYLOAD", `${quote(from)} cannot be merged into itself.`, {
    details: { from, into: chosen },
    recovery: { hint: "See the branches and their bases.", operation: "branch_list", args: { workspace } },
  });
}

export function resolveCopyTarget(
  memory: MemoryContext<"INVALID_PAYLOAD" | "MERGE_NOT_SUPPORTED">,
  { from, into, merge_to_base }: AskedMerge,
): string {
  if (into !== undefined) refuseLedger(memory, into);
  return merge_to_base ? hasNoBase(memory, from) : (into ?? checkoutOrDefault(memory));
}

function hasNoBase(
  { workspace, fail }: Pick<MemoryContext<"MERGE_NOT_SUPPORTED">, "workspace" | "fail">,
  from: string,
): never {
  return fail("MERGE_NOT_SUPPORTED", `${quote(from)} has no base.`, {
    details: { from },
    recovery: { hint: "See the branches and their bases.", operation: "branch_list", args: { workspace } },
  });
}

function refuseSessionGraph({ fail }: Pick<MemoryContext<"INVALID_PAYLOAD">, "fail">, from: string): never {
  return fail(
    "INVALID_PAYLOAD",
    `The graph of ${quote(from)} is derived from its thoughts and cannot be merged. merge copies the thoughts as notes.`,
    {
      details: { from },
      recovery: { hint: "See how to merge a session.", operation: "help", args: { topic: "merge" } },
    },
  );
}

async function baseOf(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "MERGE_NOT_SUPPORTED">,
  from: string,
  into: string | undefined,
): Promise<string> {
  const { workspace, fail } = memory;
  const branch = await memory.memory.readBranch(workspace, from);
  if (!branch) throw unknownBranch(from, workspace);
  if (branch.base_branch === null) return hasNoBase(memory, from);
  if (into === undefined || into === branch.base_branch) return branch.base_branch;
  return fail(
    "INVALID_PAYLOAD",
    `into is ${quote(into)}, but the base of ${quote(from)} is ${quote(branch.base_branch)}. Pass either into or merge_to_base.`,
    {
      details: { hints: [{ kind: "choose_one", fields: ["into", "merge_to_base"] }] },
      recovery: { hint: "See the branches and their bases.", operation: "branch_list", args: { workspace } },
    },
  );
}

export const docsOfTarget = (item: Item): ResolvedDocs => ({ target: item, ...reasoningRef(item.id) });

export async function requireTarget(
  { memory, workspace }: Pick<MemoryContext, "memory" | "workspace">,
  id: string,
): Promise<Item> {
  const item = kindOf(id) === undefined ? undefined : await memory.readItem(workspace, id);
  if (!item) throw taskFailure("unknown_target", { workspace, target: id });
  return item;
}

type OwnPlaces = Pick<MemoryContext, "state" | "workspace" | "writes">;

/** Returns the focus. Refuses a write if the focus belongs to another agent. */
export function focusOf({ state, workspace, writes }: OwnPlaces): string | undefined {
  if (state?.focus !== undefined && state.foreign.focus && writes)
    throw memoryFailure("foreign_focus", { workspace, target: state.focus });
  return state?.focus;
}

/**
 * Warns an HTTP client of the newer protocol that reports no conversation. Only the `agent_id` of each call
 * identifies such a client.
 */
export function warnIfUnknown({ agent, caller, settings, warn }: MemoryContext): void {
  const isKnown = agent.keys.some((key) => !key.startsWith("@")) || settings.agentId !== undefined;
  if (isKnown || caller.transport !== "http") return;
  warn({
    code: "FOCUS_SHARED",
    message:
      agent.name === undefined
        ? "Your client sends no conversation ID, so it shares this focus with all clients that send none. Pass agent_id if other agents use this workspace."
        : "Your client sends no conversation ID, so pass agent_id with every call. A call without agent_id uses the workspace's focus.",
  });
}

function ownCheckout({ workspace, writes }: OwnPlaces, { checkout, foreign }: Workspace): string {
  if (foreign.checkout && writes) throw memoryFailure("foreign_checkout", { workspace, branch: checkout });
  return checkout;
}

export function checkoutOf(memory: MemoryContext<"NO_CHECKOUT">): string {
  if (!memory.state) throw noCheckout(memory.workspace);
  return ownCheckout(memory, memory.state);
}

/** Returns the checkout. For an unused workspace, returns `main`, which is empty. */
export const checkoutOrDefault = (memory: OwnPlaces): string =>
  memory.state ? ownCheckout(memory, memory.state) : defaultBranch;

/** Returns the session ID in `session/<id>`, or `undefined` for any other branch. */
export function sessionOf(branch: string): string | undefined {
  const id = branch.startsWith("session/") ? branch.slice("session/".length) : undefined;
  return id !== undefined && sessionIdPattern.test(id) ? id : undefined;
}

/** Refuses to write to a session. The memory only reads sessions, which are written with `thought`. */
export function refuseLedger(
  { workspace, fail }: Pick<MemoryContext<"INVALID_PAYLOAD">, "workspace" | "fail">,
  branch: string,
): void {
  const sessionId = sessionOf(branch);
  if (sessionId === undefined) {
    if (branch.startsWith("session/") && isReservedBranch(branch)) throw reservedBranch(branch, workspace);
    return;
  }
  fail(
    "INVALID_PAYLOAD",
    `The branch ${quote(branch)} shows a session from the ledger and is read-only here. Add to it with thought.`,
    {
      details: { branch, sessionId },
      recovery: {
        hint: "List the sessions, then continue one with load_context and thought.",
        operation: "list_sessions",
        args: {},
      },
    },
  );
}

function chooseOne(memory: MemoryContext<"INVALID_PAYLOAD">): never {
  return memory.fail("INVALID_PAYLOAD", "Pass either target, or branch and documents.", {
    details: { hints: [{ kind: "choose_one", fields: ["target", "branch", "doc"] }] },
    recovery: { hint: "See how to pass a branch or target.", operation: "help", args: { topic: "branches" } },
  });
}
