import { isThinkType } from "../memory/cards/card.ts";
import type { GraphVersion } from "../memory/graph.ts";
import type { GraphPlace } from "../memory/steps/outcomes.ts";
import { isGivenUp } from "../memory/views/board.ts";
import { kindOf } from "../tasks/item.ts";
import type { MemoryText } from "./memory-hits.ts";

/** A graph node that contains one of the search words. */
export type NodeWithWords = {
  node: GraphVersion & { kind: "node" };
  place: GraphPlace;
  /** True if a conflict about this node is still open. */
  conflict: boolean;
  superseded: boolean;
};

/** Returns each card once, even if it is on several branches. Prefers the checkout's version. */
export function oneOfEach(nodes: readonly NodeWithWords[], checkout: string | undefined): NodeWithWords[] {
  const best = new Map<string, NodeWithWords>();
  const isHere = ({ place }: NodeWithWords) => place.branch === checkout;
  for (const one of nodes) {
    const key = one.superseded ? `${one.node.last_seq}` : `${one.place.doc} ${one.node.id}`;
    const other = best.get(key);
    const isBetter = !other || (isHere(one) && !isHere(other)) || one.node.last_seq > other.node.last_seq;
    if (isBetter && !(other && isHere(other) && !isHere(one))) best.set(key, one);
  }
  return [...best.values()];
}

const replaced: readonly string[] = ["superseded", "merged", "obsolete"];
/** Tags that control how a card is shown and do not describe its subject. */
const markTag = /^(?:v|lane|step):|^pinned$/;
const itemNode = /^(?<prefix>task|step):(?<id>.+)$/;

/** Returns a node's texts. Omits plans and tasks, which are also nodes but have their own results. */
export function textsOfNode(
  workspace: string,
  found: NodeWithWords,
  items: ReadonlySet<string>,
): MemoryText[] {
  const { node, place, conflict, superseded: earlier } = found;
  const { prefix, id = node.id } = itemNode.exec(node.id)?.groups ?? {};
  if (prefix !== undefined && (earlier || items.has(id))) return [];
  const status = node.status ?? "open";
  const kind =
    prefix === "step"
      ? "step"
      : prefix === "task"
        ? (kindOf(id) ?? "task")
        : isThinkType(node.type)
          ? "card"
          : "node";
  const rejected = kind === "card" && isGivenUp({ type: node.type, status, tags: node.tags ?? [] });
  return [
    {
      kind,
      id,
      workspace,
      type: node.type,
      ...(node.status !== undefined && { status }),
      title: node.title,
      text: [node.text, ...(node.tags ?? []).filter((tag) => !markTag.test(tag))].filter(Boolean).join("\n"),
      ...place,
      seq: node.last_seq,
      atMs: node.last_ts_ms,
      rejected,
      superseded: replaced.includes(status),
      conflict: conflict && !earlier,
      earlier,
    },
  ];
}
