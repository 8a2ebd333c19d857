import { unknownConflict } from "../../../../domain/memory/refusals.ts";
import { readAnchor } from "../../anchors/read-anchor.ts";
import { showConflict } from "../../graph/conflict-schema.ts";
import { showTag } from "../../vcs/ref-schemas.ts";
import { openEntry, openNode } from "./open-entry.ts";
import { openByBeginning } from "./open-session.ts";
import type { Opened } from "./opened-schema.ts";
import type { Opener, OpenMemory } from "./opener.ts";

const tasksShown = 10;

export const openAnchor: Opener<"anchor"> = async (memory, { id }, asked) => {
  const view = await readAnchor(memory, id, { ...asked, tasks: tasksShown });
  return (view && { kind: "anchor", id: view.anchor.id, ...view }) ?? openNode(memory, id);
};

export const openConflict: Opener<"conflict"> = async ({ memory, workspace }, { id }) => {
  const conflict = await memory.readConflict(workspace, id);
  if (!conflict) throw unknownConflict(workspace, id);
  return { kind: "conflict", id, conflict: showConflict(conflict) };
};

/** Nodes come first: a branch or tag of the same name is found by branch_list and tag_list. */
export const openName: Opener<"name"> = async (memory, { id }, asked) =>
  (await openNode(memory, id)) ??
  (await openBranch(memory, id)) ??
  (await openTag(memory, id)) ??
  (/^\d{1,15}$/.test(id)
    ? await openEntry(memory, { kind: "entry", doc: undefined, seq: Number(id) }, asked)
    : undefined) ??
  openByBeginning(memory, { kind: "name", id }, asked);

async function openBranch({ memory, workspace, state }: OpenMemory, id: string): Promise<Opened | undefined> {
  const branch = (await memory.readBranch(workspace, id)) ?? (await memory.readDeletedBranch(workspace, id));
  if (!branch) return undefined;
  const { name, ...rest } = branch;
  const isDeleted = rest.deleted_at_ms !== undefined;
  return {
    kind: "branch",
    id,
    branch: name,
    ...rest,
    ...(!isDeleted && {
      checked_out: state?.checkout === name,
      docs: await memory.listDocs(workspace, name),
    }),
  };
}

async function openTag({ memory, workspace }: OpenMemory, id: string): Promise<Opened | undefined> {
  const tag = await memory.readTag(workspace, id);
  const entry = tag && (await memory.readEntry(workspace, tag.seq));
  return tag && { kind: "tag", id, tag: showTag(tag), ...(entry && { entry }) };
}
