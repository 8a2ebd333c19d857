import { bareSeq, formatRef, parseRef } from "../../../domain/memory/entry.ts";
import { defaultBranch, defaultDocs } from "../../../domain/memory/limits.ts";
import { quote } from "../../../kernel/text.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { checkoutOf, checkoutOrDefault } from "../scope.ts";

/** `seq` is `undefined` if the document has no commits. */
export type ResolvedRef = { branch: string; doc: string; seq: number | undefined };

type RefContext = MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">;

/**
 * `notes@12` is a commit. Any other text is tried as a branch, as a tag and, if it is a number, as a commit.
 * A branch means the branch's ref in `doc`. If no ref is given, uses the checkout, never the focus.
 */
export async function resolveRef(
  memory: RefContext,
  asked: string | undefined,
  doc?: string,
): Promise<ResolvedRef> {
  const { workspace, memory: store } = memory;
  const named = asked === undefined ? undefined : parseRef(asked);
  if (named) return findCommit(memory, named, doc);
  const name = asked ?? checkoutOrDefault(memory);
  const isFresh = memory.state === undefined && name === defaultBranch;
  if (isFresh || (await store.readBranch(workspace, name))) {
    const place = { branch: name, doc: doc ?? defaultDocs.notes };
    const tip = await store.readRef(workspace, place.branch, place.doc);
    return { ...place, seq: tip?.seq };
  }
  const tag = await store.readTag(workspace, name);
  if (!tag) return findBare(memory, name, doc);
  if (doc !== undefined && tag.doc !== doc) return otherDoc(memory, name, tag);
  return tag;
}

export async function requireCommit(
  memory: RefContext & MemoryContext<"NO_CHECKOUT">,
  asked: string | undefined,
) {
  if (asked === undefined) checkoutOf(memory);
  const { branch, doc, seq } = await resolveRef(memory, asked);
  if (seq !== undefined) return { branch, doc, seq };
  return memory.fail("UNKNOWN_ID", `${quote(branch)} has no commits in ${doc} yet.`, {
    details: { branch, doc },
    recovery: {
      hint: "Write a commit of another document as <doc>@<seq>. This call shows what was committed on the branch.",
      operation: "reflog",
      args: { workspace: memory.workspace, ref: branch },
    },
  });
}

async function findBare(memory: RefContext, name: string, doc: string | undefined): Promise<ResolvedRef> {
  const seq = bareSeq(name);
  if (seq === undefined) return unknownName(memory, name);
  const commit = await memory.memory.readCommit(memory.workspace, seq);
  if (!commit) return unknownName(memory, name, "branch, tag or commit");
  return doc !== undefined && commit.doc !== doc ? otherDoc(memory, name, commit) : commit;
}

async function findCommit(
  memory: RefContext,
  named: { doc: string; seq: number },
  doc: string | undefined,
): Promise<ResolvedRef> {
  const commit = await memory.memory.readCommit(memory.workspace, named.seq);
  if (!commit) return unknownCommit(memory, named);
  if (commit.doc !== (doc ?? named.doc) || commit.doc !== named.doc)
    return otherDoc(memory, formatRef(named), commit);
  return commit;
}

function unknownName({ workspace, fail }: RefContext, name: string, what = "branch or tag"): never {
  return fail("UNKNOWN_ID", `There is no ${what} ${quote(name)}.`, {
    details: { ref: name },
    recovery: {
      hint: "tag_list lists the tags. This call lists the branches.",
      operation: "branch_list",
      args: { workspace },
    },
  });
}

function unknownCommit({ workspace, state, fail }: RefContext, named: { doc: string; seq: number }): never {
  const ref = formatRef(named);
  return fail("UNKNOWN_ID", `There is no commit ${quote(ref)}.`, {
    details: { ref },
    recovery: state
      ? {
          hint: `See the commits of ${named.doc}.`,
          operation: "log",
          args: { workspace, ref: state.checkout, doc: named.doc },
        }
      : {
          hint: "The workspace has not been used yet. This call lists its branches.",
          operation: "branch_list",
          args: { workspace },
        },
  });
}

function otherDoc({ workspace, fail }: RefContext, ref: string, found: { doc: string; seq: number }): never {
  const right = formatRef(found);
  return fail("INVALID_PAYLOAD", `${quote(ref)} is a commit of ${found.doc}: ${right}.`, {
    details: { ref, expected: right, hints: [{ kind: "prefix", field: "ref", expected: `${found.doc}@` }] },
    recovery: { hint: `Pass it as ${right}.`, operation: "log", args: { workspace, ref: right } },
  });
}
