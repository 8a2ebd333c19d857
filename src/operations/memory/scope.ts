import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { isReservedBranch } from "../../domain/memory/limits.ts";
import { noCheckout, reservedBranch } from "../../domain/memory/refusals.ts";
import { ThoughtboxError } from "../../kernel/errors.ts";
import { quote } from "../../kernel/text.ts";
import type { MemoryContext } from "./define-memory.ts";

export type AskedScope = {
  target?: string | undefined;
  branch?: string | undefined;
  doc?: string | undefined;
};

export type Scope = { branch: string; doc: string };

/**
 * Where a call reads or writes, decided here and nowhere else: an explicit target, else the branch and document that
 * were named, else the focus, else the checkout. Targets and the focus come with the tasks.
 */
export function resolveScope(memory: MemoryContext, asked: AskedScope, usualDoc: string): Scope {
  if (asked.target !== undefined) {
    if (asked.branch !== undefined || asked.doc !== undefined) throw chooseOne();
    throw unknownTarget(memory.workspace, asked.target);
  }
  return { branch: asked.branch ?? checkoutOf(memory), doc: asked.doc ?? usualDoc };
}

/** For writes, which may be the first thing that happens in a workspace: then its branch main is meant. */
export function resolveWritableScope(memory: MemoryContext, asked: AskedScope, usualDoc: string) {
  if (asked.branch !== undefined) refuseLedger(memory.workspace, asked.branch);
  if (asked.target === undefined && asked.branch === undefined && !memory.state)
    return { branch: undefined, doc: asked.doc ?? usualDoc };
  return resolveScope(memory, asked, usualDoc);
}

export function checkoutOf({ state, workspace }: MemoryContext): string {
  if (!state) throw noCheckout(workspace);
  return state.checkout;
}

/** The session behind a branch that is a view of the ledger. */
export function sessionOf(branch: string): string | undefined {
  const id = branch.startsWith("session/") ? branch.slice("session/".length) : undefined;
  return id !== undefined && sessionIdPattern.test(id) ? id : undefined;
}

/** Sessions are written by thoughts, and read here. */
export function refuseLedger(workspace: string, branch: string): void {
  const sessionId = sessionOf(branch);
  if (sessionId === undefined) {
    if (branch.startsWith("session/") && isReservedBranch(branch)) throw reservedBranch(branch, workspace);
    return;
  }
  throw new ThoughtboxError(
    "INVALID_PAYLOAD",
    `The branch ${quote(branch)} shows a session of the ledger and is read-only here; add to it by thought.`,
    {
      details: { branch, sessionId },
      recovery: {
        hint: "Continue one of these by load_context and thought.",
        operation: "list_sessions",
        args: {},
      },
    },
  );
}

function chooseOne(): ThoughtboxError {
  return new ThoughtboxError("INVALID_PAYLOAD", "Give either target, or branch and doc; not both.", {
    details: { hints: [{ kind: "choose_one", fields: ["target", "branch", "doc"] }] },
    recovery: { hint: "See how places are named.", operation: "help", args: { topic: "branches" } },
  });
}

function unknownTarget(workspace: string, target: string): ThoughtboxError {
  return new ThoughtboxError("UNKNOWN_ID", `There is no plan or task ${quote(target, 60)}.`, {
    details: { target },
    recovery: { hint: "See which branches there are.", operation: "branch_list", args: { workspace } },
  });
}
