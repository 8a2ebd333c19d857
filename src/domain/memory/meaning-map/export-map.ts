import { anchorPrefix, byId, type MeaningAnchor } from "./meaning-anchor.ts";

export const mapFormats = ["mermaid", "text"] as const;
export type MapFormat = (typeof mapFormats)[number];

/** Formats the map as text. The same map gives the same text on every machine. */
export function exportMap(anchors: readonly MeaningAnchor[], format: MapFormat): string {
  const sorted = anchors.toSorted(byId);
  return format === "mermaid" ? toMermaid(sorted) : toText(sorted);
}

/** Draws the map as a Mermaid diagram. Referenced anchors that are not registered are dashed. */
function toMermaid(anchors: readonly MeaningAnchor[]): string {
  const known = new Set(anchors.map(({ id }) => id));
  const unregistered = [
    ...new Set(
      anchors.flatMap(({ parent_id, depends_on }) => [...(parent_id ? [parent_id] : []), ...depends_on]),
    ),
  ].filter((id) => !known.has(id));
  const lines = [
    ...anchors.map(
      ({ id, title, kind }) => `  ${nodeName(id)}["${label(title)}<br/>${id} · ${label(kind)}"]`,
    ),
    ...unregistered.sort().map((id) => `  ${nodeName(id)}["${id}"]:::unregistered`),
    ...anchors.flatMap(({ id, parent_id }) =>
      parent_id === undefined ? [] : [`  ${nodeName(parent_id)} --> ${nodeName(id)}`],
    ),
    ...anchors.flatMap(({ id, depends_on }) =>
      depends_on.toSorted().map((other) => `  ${nodeName(id)} -.->|depends on| ${nodeName(other)}`),
    ),
    ...(unregistered.length > 0 ? ["  classDef unregistered stroke-dasharray: 4 4"] : []),
  ];
  return `${["graph TD", ...lines].join("\n")}\n`;
}

/** Prevents Mermaid from reading hyphens as arrows, and words such as `end` as keywords. */
const nodeName = (id: string): string => `n_${id.slice(anchorPrefix.length).replaceAll("-", "_")}`;

/** Writes characters that could end a label or begin markup as numeric entities. */
const label = (text: string): string =>
  oneLine(text).replaceAll(/[^\p{L}\p{N} .,:;/()'+_-]/gu, (mark) => `#${mark.codePointAt(0)};`);

function toText(anchors: readonly MeaningAnchor[]): string {
  const children = new Map<string, MeaningAnchor[]>();
  const known = new Set(anchors.map(({ id }) => id));
  const roots: MeaningAnchor[] = [];
  for (const anchor of anchors) {
    const parent = anchor.parent_id;
    if (parent === undefined || !known.has(parent)) roots.push(anchor);
    else if (children.has(parent)) children.get(parent)?.push(anchor);
    else children.set(parent, [anchor]);
  }
  const lines: string[] = [];
  const waiting = roots.toReversed().map((anchor) => ({ anchor, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    lines.push(describe(next.anchor, next.depth));
    const below = children.get(next.anchor.id) ?? [];
    for (const anchor of below.toReversed()) waiting.push({ anchor, depth: next.depth + 1 });
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function describe({ id, title, kind, status, depends_on, aliases }: MeaningAnchor, depth: number): string {
  const more = [
    ...(depends_on.length > 0 ? [`depends on ${depends_on.toSorted().join(", ")}`] : []),
    ...(aliases.length > 0 ? [`also ${aliases.toSorted().join(", ")}`] : []),
  ];
  const tail = more.length > 0 ? `; ${more.join("; ")}` : "";
  return `${"  ".repeat(depth)}${id} ${oneLine(title)} (${kind}, ${status})${tail}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
