import { isAnchorId, type MeaningAnchor, namesOf } from "./meaning-anchor.ts";

export type MapIssue = {
  code:
    | "ANCHOR_UNREGISTERED"
    | "ANCHOR_TAG_INVALID"
    | "PARENT_MISSING"
    | "DEPENDENCY_MISSING"
    | "DEPENDENCY_CYCLE"
    | "ANCHOR_WITHOUT_CARDS";
  severity: "error" | "warning" | "info";
  anchor: string;
  message: string;
  /** The other anchors involved. */
  refs?: string[];
};

/** Returns the problems of the map, worst first. `carried` contains the `a:` tags on cards. */
export function lintMap(anchors: readonly MeaningAnchor[], carried: ReadonlySet<string>): MapIssue[] {
  const known = new Set(anchors.map(({ id }) => id));
  const names = new Set(anchors.flatMap(namesOf));
  return [
    ...missingEnds(anchors, known),
    ...[...carried].sort().flatMap((tag) => strayTag(tag, names)),
    ...dependencyCycles(anchors),
    ...anchors
      .filter((anchor) => !namesOf(anchor).some((name) => carried.has(name)))
      .map(
        ({ id }): MapIssue => ({
          code: "ANCHOR_WITHOUT_CARDS",
          severity: "info",
          anchor: id,
          message: `No card has the tag ${id}.`,
        }),
      ),
  ];
}

function missingEnds(anchors: readonly MeaningAnchor[], known: ReadonlySet<string>): MapIssue[] {
  return anchors.flatMap(({ id, parent_id, depends_on }): MapIssue[] => [
    ...(parent_id === undefined || known.has(parent_id)
      ? []
      : [
          {
            code: "PARENT_MISSING" as const,
            severity: "error" as const,
            anchor: id,
            message: `The parent of ${id} is ${parent_id}, which is not registered.`,
            refs: [parent_id],
          },
        ]),
    ...depends_on
      .filter((other) => !known.has(other))
      .map((other) => ({
        code: "DEPENDENCY_MISSING" as const,
        severity: "error" as const,
        anchor: id,
        message: `${id} depends on ${other}, which is not registered.`,
        refs: [other],
      })),
  ]);
}

function strayTag(tag: string, names: ReadonlySet<string>): MapIssue[] {
  if (names.has(tag)) return [];
  return isAnchorId(tag)
    ? [
        {
          code: "ANCHOR_UNREGISTERED",
          severity: "warning",
          anchor: tag,
          message: `Cards have the tag ${tag}, which is not registered.`,
        },
      ]
    : [
        {
          code: "ANCHOR_TAG_INVALID",
          severity: "warning",
          anchor: tag,
          message: `Cards have the tag ${tag}, which cannot name an anchor. Use a: followed by 1–64 characters (a–z, 0–9, -).`,
        },
      ];
}

/**
 * Returns one issue per cycle of anchors that depend on each other. The issue is about the first anchor of the cycle.
 */
function dependencyCycles(anchors: readonly MeaningAnchor[]): MapIssue[] {
  return ringsOf(new Map(anchors.map(({ id, depends_on }) => [id, depends_on]))).map((ring) => ({
    code: "DEPENDENCY_CYCLE",
    severity: "warning",
    anchor: ring[0] ?? "",
    message: `These anchors depend on each other: ${ring.slice(0, 10).join(", ")}.`,
    refs: ring,
  }));
}

/** Finds strongly connected groups of two or more in one pass, without recursion. Each group is sorted. */
function ringsOf(links: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const rings: string[][] = [];
  for (const start of links.keys()) {
    if (order.has(start)) continue;
    const path: { id: string; next: number }[] = [];
    const enter = (id: string) => {
      order.set(id, order.size);
      low.set(id, order.size - 1);
      open.push(id);
      isOpen.add(id);
      path.push({ id, next: 0 });
    };
    const lower = (id: string, value: number) => low.set(id, Math.min(low.get(id) ?? value, value));
    enter(start);
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const other = (links.get(at.id) ?? [])[at.next];
      at.next += 1;
      if (other === undefined) {
        path.pop();
        const above = path.at(-1);
        if (above) lower(above.id, low.get(at.id) ?? 0);
        if (low.get(at.id) !== order.get(at.id)) continue;
        const ring = open.splice(open.lastIndexOf(at.id));
        for (const member of ring) isOpen.delete(member);
        if (ring.length > 1) rings.push(ring.sort());
      } else if (!links.has(other)) continue;
      else if (!order.has(other)) enter(other);
      else if (isOpen.has(other)) lower(at.id, order.get(other) ?? 0);
    }
  }
  return rings.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
}
