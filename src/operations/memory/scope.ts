import { sessionIdPattern } from "../../domain/ledger/limits.ts";
import { isReservedBranch } from "../../domain/memory/limits.ts";
import { noCheckout, reservedBranch } from "../../domain/memory/refusals.ts";
import { quote } from "../../kernel/text.ts";
import type { MemoryContext } from "../pipeline/context.ts";

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
export function resolveScope(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "NO_CHECKOUT">,
  asked: AskedScope,
  defaultDoc: string,
): Scope {
  refuseTarget(memory, asked);
  return { branch: asked.branch ?? checkoutOf(memory), doc: asked.doc ?? defaultDoc };
}

/** For writes, which may be the first thing that happens in a workspace: then its branch main is meant. */
export function resolveWritableScope(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  asked: AskedScope,
  defaultDoc: string,
) {
  if (asked.branch !== undefined) refuseLedger(memory, asked.branch);
  refuseTarget(memory, asked);
  return { branch: asked.branch ?? memory.state?.checkout, doc: asked.doc ?? defaultDoc };
}

export function checkoutOf({ state, workspace }: MemoryContext<"NO_CHECKOUT">): string {
  if (!state) throw noCheckout(workspace);
  return state.checkout;
}

/** The session behind a branch that is a view of the ledger. */
export function sessionOf(branch: string): string | undefined {
  const id = branch.startsWith("session/") ? branch.slice("session/".length) : undefined;
  return id !== undefined && sessionIdPattern.test(id) ? id : undefined;
}

/** Sessions are written by thoughts, and read here. */
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

function refuseTarget(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  { target, branch, doc }: AskedScope,
): void {
  if (target === undefined) return;
  if (branch !== undefined || doc !== undefined) {
    memory.fail("INVALID_PAYLOAD", "Give either target, or branch and doc; not both.", {
      details: { hints: [{ kind: "choose_one", fields: ["target", "branch", "doc"] }] },
      recovery: { hint: "See how places are named.", operation: "help", args: { topic: "branches" } },
    });
  }
  unknownTarget(memory, target);
}

export const unknownTarget = ({ workspace, fail }: MemoryContext<"UNKNOWN_ID">, target: string): never =>
  fail("UNKNOWN_ID", `There is no plan or task ${quote(target, 60)}.`, {
    details: { target },
    recovery: { hint: "See which branches there are.", operation: "branch_list", args: { workspace } },
  });
