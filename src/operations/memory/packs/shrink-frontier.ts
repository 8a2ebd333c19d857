import { clip } from "../../../kernel/text.ts";
import type { Json } from "../../pipeline/fit/trim.ts";
import { stubNode } from "../graph/version-schemas.ts";

type Lists = Record<string, Json[]>;

/** Texts go, then cards, the oldest of each list first; one card of the first list that has any is left. */
export function shrinkFrontier(block: Json): Json[] {
  const lists = block as Lists;
  const map = (change: (items: Json[]) => Json[]): Json =>
    Object.fromEntries(Object.entries(lists).map(([name, items]) => [name, change(items)]));
  const stub = (max: number) => (item: Json) => {
    const { title, ...rest } = stubNode(item);
    return { ...rest, ...(typeof title === "string" && { title: clip(title, max) }) };
  };
  const first = Object.keys(lists).find((name) => (lists[name] ?? []).length > 0);
  const only = Object.fromEntries(
    Object.entries(lists).map(([name, items]) => [name, name === first ? items.slice(0, 1).map(bare) : []]),
  );
  return [
    map((items) => items.map(({ text: _text, meta: _meta, tags: _tags, ...rest }) => rest)),
    map((items) => items.map(stub(60))),
    map((items) => items.slice(0, 2).map(stub(60))),
    map((items) => items.slice(0, 1).map(stub(40))),
    only,
  ];
}

const bare = ({ id, type, last_seq }: Json): Json => ({ id, type, last_seq });
