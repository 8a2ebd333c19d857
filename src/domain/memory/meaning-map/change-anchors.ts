import { anchorFailure } from "./failures.ts";
import { activeStatus, anchorLimits, findAnchor, type MeaningAnchor, namesOf } from "./meaning-anchor.ts";

/** What is known of the map when it is changed. */
export type AnchorFacts = {
  workspace: string;
  now_ms: number;
  anchors: ReadonlyMap<string, MeaningAnchor>;
  /** Those of the names that were asked about which cards carry as a tag. */
  carried: ReadonlySet<string>;
};

/** All of it is written in one transaction, or nothing is. */
export type AnchorDecision = {
  put: readonly MeaningAnchor[];
  removed: readonly string[];
  /** The anchor that the change was about, as it is now. */
  anchor: MeaningAnchor;
  created: boolean;
};

type Changeable =
  | ("title" | "kind" | "status" | "description" | "parent_id")
  | ("refs" | "aliases" | "depends_on");

export type AnchorChange = { id: string } & { [Field in Changeable]?: MeaningAnchor[Field] | undefined };

/** Registers an anchor, or changes what is given. Lists replace the lists before, aliases are added. */
export function putAnchor(facts: AnchorFacts, { id, ...given }: AnchorChange): AnchorDecision {
  const { anchors, workspace, now_ms } = facts;
  const known = findAnchor(anchors, id);
  const { aliases = [], ...fields } = given;
  const missing = known ? [] : (["title", "kind"] as const).filter((field) => fields[field] === undefined);
  if (missing.length > 0) throw anchorFailure("anchor_incomplete", { anchor: id, missing });
  if (!known) checkRoom(facts);
  const before = known ?? newAnchor(id, now_ms);
  const own = new Set([before.id]);
  for (const alias of aliases) requireFree(facts, alias, before.id);
  const changed: MeaningAnchor = {
    ...before,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    aliases: distinct([...before.aliases, ...aliases]).filter((alias) => !own.has(alias)),
  };
  checkAliases(changed);
  const anchor = resolveLinks(changed, anchors);
  if (anchor.parent_id !== undefined && leadsTo(anchors, anchor.parent_id, anchor.id))
    throw anchorFailure("anchor_cycle", { workspace, anchor: anchor.id, parent: anchor.parent_id });
  if (known && isSame(known, anchor)) return { put: [], removed: [], anchor: known, created: false };
  const put = { ...anchor, updated_at_ms: now_ms };
  return { put: [put], removed: [], anchor: put, created: !known };
}

const newAnchor = (id: string, now_ms: number): MeaningAnchor => ({
  id,
  title: id,
  kind: "",
  status: activeStatus,
  refs: [],
  aliases: [],
  depends_on: [],
  created_at_ms: now_ms,
  updated_at_ms: now_ms,
});

/** The old name stays as an alias, so that whatever carries it still belongs here. */
export function renameAnchor(facts: AnchorFacts, from: string, to: string): AnchorDecision {
  const { anchors, workspace, now_ms } = facts;
  const known = findAnchor(anchors, from);
  if (!known) throw anchorFailure("unknown_anchor", { workspace, anchor: from });
  if (known.id === to) return { put: [], removed: [], anchor: known, created: false };
  requireFree(facts, to, known.id);
  const anchor = {
    ...known,
    id: to,
    aliases: distinct([...known.aliases, known.id]).filter((alias) => alias !== to),
    updated_at_ms: now_ms,
  };
  checkAliases(anchor);
  const others = [...anchors.values()].filter(({ id }) => id !== known.id);
  const moved = redirect(others, new Set([known.id]), to, now_ms);
  return { put: [anchor, ...moved], removed: [known.id], anchor, created: false };
}

/** Those merged become aliases of the one that stays; what refers to them refers to it from now on. */
export function mergeAnchors(facts: AnchorFacts, from: readonly string[], into: string): AnchorDecision {
  const { anchors, workspace, now_ms, carried } = facts;
  const kept = findAnchor(anchors, into);
  if (!kept) throw anchorFailure("unknown_anchor", { workspace, anchor: into });
  const gone = new Map<string, MeaningAnchor | undefined>();
  for (const id of from) {
    const known = findAnchor(anchors, id);
    if (!known && !carried.has(id)) throw anchorFailure("unknown_anchor", { workspace, anchor: id });
    if (known?.id !== kept.id) gone.set(known?.id ?? id, known);
  }
  if (gone.size === 0) return { put: [], removed: [], anchor: kept, created: false };
  const merged = [...gone].flatMap(([id, known]) => (known ? namesOf(known) : [id]));
  const registered = [...gone.values()].filter((known) => known !== undefined);
  const dependsOn = registered.flatMap(({ depends_on }) => depends_on);
  const others = [...anchors.values()].filter(({ id }) => id !== kept.id && !gone.has(id));
  const moved = redirect(others, new Set(gone.keys()), kept.id, now_ms);
  const after = new Map([...others, ...moved].map((one) => [one.id, one]));
  const links = resolveLinks(
    {
      ...kept,
      aliases: distinct([...kept.aliases, ...merged]),
      refs: distinct([...kept.refs, ...registered.flatMap(({ refs }) => refs)]).slice(0, anchorLimits.refs),
      depends_on: distinct([...kept.depends_on, ...dependsOn]).filter((id) => !gone.has(id)),
    },
    after,
  );
  const { parent_id, ...rest } = links;
  const loose =
    parent_id === undefined ||
    gone.has(parent_id) ||
    leadsTo(after, parent_id, kept.id) ||
    parent_id === kept.id;
  const anchor = { ...rest, ...(!loose && { parent_id }), updated_at_ms: now_ms };
  checkAliases(anchor);
  return {
    put: [anchor, ...moved],
    removed: registered.map(({ id }) => id),
    anchor,
    created: false,
  };
}

/** The anchors that refer to one that is gone, as they are then. */
function redirect(
  anchors: readonly MeaningAnchor[],
  gone: ReadonlySet<string>,
  to: string,
  now_ms: number,
): MeaningAnchor[] {
  const moved = (id: string): string => (gone.has(id) ? to : id);
  return anchors
    .filter(({ parent_id, depends_on }) => gone.has(parent_id ?? "") || depends_on.some((id) => gone.has(id)))
    .map((anchor) => ({
      ...anchor,
      ...(anchor.parent_id !== undefined && { parent_id: moved(anchor.parent_id) }),
      depends_on: distinct(anchor.depends_on.map(moved)),
      updated_at_ms: now_ms,
    }));
}

/** References by an old name are written under the one that holds now; nothing refers to itself. */
function resolveLinks(anchor: MeaningAnchor, anchors: ReadonlyMap<string, MeaningAnchor>): MeaningAnchor {
  const own = new Set(namesOf(anchor));
  const current = (id: string): string => findAnchor(anchors, id)?.id ?? id;
  const { parent_id, ...rest } = anchor;
  const parent = parent_id === undefined ? undefined : current(parent_id);
  return {
    ...rest,
    ...(parent !== undefined && { parent_id: own.has(parent) ? anchor.id : parent }),
    depends_on: distinct(anchor.depends_on.map(current))
      .filter((id) => !own.has(id))
      .slice(0, anchorLimits.dependsOn),
  };
}

/** Whether going from parent to parent arrives at `end`. */
function leadsTo(anchors: ReadonlyMap<string, MeaningAnchor>, start: string, end: string): boolean {
  const seen = new Set<string>();
  for (
    let at: string | undefined = start;
    at !== undefined && !seen.has(at);
    at = anchors.get(at)?.parent_id
  ) {
    if (at === end) return true;
    seen.add(at);
  }
  return false;
}

function requireFree({ anchors, workspace }: AnchorFacts, name: string, own: string): void {
  const holder = findAnchor(anchors, name);
  if (holder && holder.id !== own)
    throw anchorFailure("anchor_taken", { workspace, anchor: name, holder: holder.id, from: own });
}

function checkRoom({ anchors }: AnchorFacts): void {
  if (anchors.size < anchorLimits.anchors) return;
  throw anchorFailure("invalid_anchor", {
    problem: `A workspace holds at most ${anchorLimits.anchors} anchors; merge some by anchors_merge.`,
    kind: "length",
    field: "anchor",
  });
}

function checkAliases({ aliases }: Pick<MeaningAnchor, "aliases">): void {
  if (aliases.length <= anchorLimits.aliases) return;
  throw anchorFailure("invalid_anchor", {
    problem: `An anchor has at most ${anchorLimits.aliases} aliases.`,
    kind: "length",
    field: "aliases",
  });
}

const distinct = (items: readonly string[]): string[] => [...new Set(items)];

function isSame(one: MeaningAnchor, other: MeaningAnchor): boolean {
  const read = ({ updated_at_ms: _at, ...anchor }: MeaningAnchor) =>
    JSON.stringify(Object.entries(anchor).sort(([a], [b]) => (a < b ? -1 : 1)));
  return read(one) === read(other);
}
