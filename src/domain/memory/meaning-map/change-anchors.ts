import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import {
  activeStatus,
  anchorFailure,
  anchorLimits,
  findAnchor,
  type MeaningAnchor,
  namesOf,
} from "./meaning-anchor.ts";

export type AnchorFacts = {
  workspace: string;
  now_ms: number;
  anchors: ReadonlyMap<string, MeaningAnchor>;
  /** The requested names that occur as tags on cards. */
  carried: ReadonlySet<string>;
};

/** Written in one transaction. */
export type AnchorDecision = {
  put: readonly MeaningAnchor[];
  removed: readonly string[];
  anchor: MeaningAnchor;
  created: boolean;
};

type Changeable =
  | ("title" | "kind" | "status" | "description" | "parent_id")
  | ("refs" | "aliases" | "depends_on");

export type AnchorChange = { id: string } & { [Field in Changeable]?: MeaningAnchor[Field] | undefined };

/** Registers an anchor or changes the given fields. Replaces lists, but adds aliases to existing ones. */
export function putAnchor(facts: AnchorFacts, { id, ...given }: AnchorChange): AnchorDecision {
  const { anchors, workspace, now_ms } = facts;
  const known = findAnchor(anchors, id);
  const { aliases = [], ...fields } = given;
  const missing = known ? [] : (["title", "kind"] as const).filter((field) => fields[field] === undefined);
  if (missing.length > 0) throw anchorFailure("anchor_incomplete", { anchor: id, missing });
  if (!known) checkRoom(facts);
  const before = known ?? newAnchor(id, now_ms);
  for (const alias of aliases) requireFree(facts, alias, before.id);
  const anchor: MeaningAnchor = {
    ...before,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    aliases: distinct([...before.aliases, ...aliases]).filter((alias) => alias !== before.id),
  };
  const decision = decideMap(facts, anchor, []);
  const { parent_id } = decision.anchor;
  if (fields.parent_id !== undefined && parent_id === undefined)
    throw anchorFailure("anchor_cycle", { workspace, anchor: anchor.id, parent: fields.parent_id });
  return decision;
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

/** Keeps the old name as an alias, so that cards with the old tag still belong to the anchor. */
export function renameAnchor(facts: AnchorFacts, from: string, to: string): AnchorDecision {
  const { anchors, workspace } = facts;
  const known = findAnchor(anchors, from);
  if (!known) throw anchorFailure("unknown_anchor", { workspace, anchor: from });
  if (known.id === to) return { put: [], removed: [], anchor: known, created: false };
  requireFree(facts, to, known.id);
  const aliases = distinct([...known.aliases, known.id]).filter((alias) => alias !== to);
  return decideMap(facts, { ...known, id: to, aliases }, [known.id]);
}

/** Makes the merged anchors aliases of the remaining one, and redirects references to them. */
export function mergeAnchors(facts: AnchorFacts, from: readonly string[], into: string): AnchorDecision {
  const { anchors, workspace, carried } = facts;
  const kept = findAnchor(anchors, into);
  if (!kept) throw anchorFailure("unknown_anchor", { workspace, anchor: into });
  const gone = new Map<string, MeaningAnchor | undefined>();
  for (const id of from) {
    const known = findAnchor(anchors, id);
    if (!known && !carried.has(id)) throw anchorFailure("unknown_anchor", { workspace, anchor: id });
    if (known?.id !== kept.id) gone.set(known?.id ?? id, known);
  }
  const registered = [...gone.values()].filter((known) => known !== undefined);
  const merged = [...gone].flatMap(([id, known]) => (known ? namesOf(known) : [id]));
  const dependsOn = registered.flatMap(({ depends_on }) => depends_on);
  const refs = registered.flatMap((anchor) => anchor.refs);
  return decideMap(
    facts,
    {
      ...kept,
      aliases: distinct([...kept.aliases, ...merged]),
      refs: distinct([...kept.refs, ...refs]).slice(0, anchorLimits.refs),
      depends_on: distinct([...kept.depends_on, ...dependsOn]),
    },
    registered.map(({ id }) => id),
  );
}

/**
 * Adds the changed anchor to the map and drops the removed ones. Updates references to current IDs. Removes an anchor's
 * dependency on itself, and the parent of an anchor that would become its own ancestor.
 */
function decideMap(facts: AnchorFacts, changed: MeaningAnchor, removed: readonly string[]): AnchorDecision {
  const { anchors, now_ms } = facts;
  if (changed.aliases.length > anchorLimits.aliases) throw tooManyAliases();
  const after = new Map([...anchors].filter(([id]) => !removed.includes(id)));
  after.set(changed.id, changed);
  const ids = new Map(
    [...after.values()].flatMap((one) => namesOf(one).map((name) => [name, one.id] as const)),
  );
  const current = (id: string): string => ids.get(id) ?? id;
  for (const { parent_id, ...one } of [...after.values()])
    after.set(one.id, {
      ...one,
      ...(parent_id !== undefined && { parent_id: current(parent_id) }),
      depends_on: distinct(one.depends_on.map(current))
        .filter((other) => other !== one.id)
        .slice(0, anchorLimits.dependsOn),
    });
  const { parent_id, ...rootless } = after.get(changed.id) ?? changed;
  if (parent_id !== undefined && leadsTo(after, parent_id, changed.id)) after.set(changed.id, rootless);
  const put = [...after.values()]
    .filter((one) => !isSame(anchors.get(one.id), one))
    .map((one) => ({ ...one, updated_at_ms: now_ms }));
  const anchor = put.find(({ id }) => id === changed.id) ?? after.get(changed.id) ?? changed;
  return {
    put,
    removed,
    anchor,
    created: findAnchor(anchors, changed.id) === undefined && removed.length === 0,
  };
}

/** True if `end` is an ancestor of `start`. */
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
    problem: `A workspace can have at most ${anchorLimits.anchors} anchors. Merge some.`,
    kind: "length",
    field: "anchor",
  });
}

const tooManyAliases = () =>
  anchorFailure("invalid_anchor", {
    problem: `An anchor can have at most ${anchorLimits.aliases} aliases.`,
    kind: "length",
    field: "aliases",
  });

const distinct = (items: readonly string[]): string[] => [...new Set(items)];

function isSame(one: MeaningAnchor | undefined, other: MeaningAnchor): boolean {
  const read = ({ updated_at_ms: _at, ...anchor }: MeaningAnchor) => canonicalJson(anchor);
  return one !== undefined && read(one) === read(other);
}
