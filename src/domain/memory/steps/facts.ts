import type { BranchRow, FactKind, FactKinds, Need } from "./rows.ts";

type Rows = Map<string | number, unknown>;

/**
 * Known facts in layers. The loaded facts are at the bottom, a call's layer is above them, and a step's layer is on
 * top. Dropping a layer undoes its changes.
 */
export type Layer = {
  /**
   * Facts by kind, branch and document, then by key. Looking up numbers is faster than looking up a composed
   * name.
   */
  facts: Map<FactKind | "noted", Map<number, Map<number, Rows>>>;
  below: Layer | undefined;
  /** True if the layer contains changes that the store does not have yet. */
  isAhead: boolean;
};

export const layerOn = (below: Layer | undefined): Layer => ({
  facts: new Map(),
  below,
  isAhead: below?.isAhead ?? false,
});

export function keepLayer({ facts, below, isAhead }: Layer): void {
  if (!below) return;
  for (const [kind, branches] of facts)
    for (const [bid, docs] of branches)
      for (const [doc, rows] of docs)
        for (const [key, found] of rows) rowsOf(below, kind, { bid, doc }).set(key, found);
  below.isAhead ||= isAhead;
}

/**
 * Drops facts that later writes do not update. Call this if a call is refused. A call that succeeds with such facts makes
 * all facts outdated.
 */
export function dropPassing({ facts }: Layer): void {
  for (const kind of ["carried", "taken"] as const) facts.delete(kind);
}

type Scope = { bid: number; doc?: number } | undefined;

/** Used instead of a branch or document for facts that belong to none. No row has this number. */
const nowhere = 0;

/** Returns the layer's mutable facts of one kind in one branch and document. */
export function rowsOf({ facts }: Layer, kind: FactKind | "noted", scope: Scope): Rows {
  const { bid, doc = nowhere } = scope ?? { bid: nowhere };
  const branches = facts.get(kind) ?? new Map<number, Map<number, Rows>>();
  const docs = branches.get(bid) ?? new Map<number, Rows>();
  const rows = docs.get(doc) ?? new Map<string | number, unknown>();
  if (rows.size > 0) return rows;
  facts.set(kind, branches);
  branches.set(bid, docs);
  docs.set(doc, rows);
  return rows;
}

function note(layer: Layer, what: string, as: unknown = true): void {
  rowsOf(layer, "noted", undefined).set(what, as);
  layer.isAhead = true;
}

/** Names a kind of facts in a scope, for messages and to distinguish groups of needs. */
export const nameOf = (kind: FactKind, scope: Scope): string =>
  scope === undefined ? kind : `${kind} ${scope.bid} ${scope.doc ?? ""}`;

/** Returns the keys whose facts are unknown. */
export function unknownKeys<Key extends string | number>(
  layer: Layer,
  kind: FactKind,
  scope: Scope,
  keys: readonly Key[],
): readonly Key[] {
  const missing = keys.filter((key) => !lookUp(layer, kind, scope, key));
  return missing.length > 0 && knownNothing(layer, kind, scope) ? [] : missing;
}

/** Looks up a fact. Wraps the result to distinguish a fact that is known to be absent from an unknown one. */
export function lookUp(
  layer: Layer,
  kind: FactKind | "noted",
  scope: Scope,
  key: string | number,
): { found: unknown } | undefined {
  for (let at: Layer | undefined = layer; at; at = at.below) {
    const rows = at.facts
      .get(kind)
      ?.get(scope?.bid ?? nowhere)
      ?.get(scope?.doc ?? nowhere);
    const found = rows?.get(key);
    if (found !== undefined || rows?.has(key)) return { found };
  }
  return undefined;
}

const noted = (layer: Layer, what: string): { found: unknown } | undefined =>
  lookUp(layer, "noted", undefined, what);

/** A new workspace, or a new branch without a base, is known to be empty without a lookup. */
const nothing: { [Kind in FactKind]?: FactKinds[Kind]["found"] } = {
  branch: undefined,
  branchedAt: 0,
  doc: undefined,
  log: { doc: undefined, isOpen: false },
  graph: { doc: undefined, isOpen: false },
  ref: undefined,
  tag: undefined,
  source: undefined,
  head: undefined,
  current: undefined,
  edgesAt: [],
  tally: { liveNodes: 0, inheritedNodes: 0, liveEdges: 0 },
  counter: 0,
  item: undefined,
  anchors: [],
};

const newWorkspace = "made workspace";
const newBranch = (bid: number): string => `made branch ${bid}`;

export const noteNewWorkspace = (layer: Layer): void => note(layer, newWorkspace);

export const noteNewBranch = (layer: Layer, { bid, base }: BranchRow): void =>
  note(layer, newBranch(bid), base === undefined ? "shows nothing" : "has written nothing");

const newDoc = (doc: number): string => `made doc ${doc}`;

export const noteNewDoc = (layer: Layer, doc: number): void => note(layer, newDoc(doc));

/** Returns the facts about something new that is known to be empty, without a lookup. */
export function knownNothing(layer: Layer, kind: FactKind, scope: Scope): { found: unknown } | undefined {
  if (!layer.isAhead || !(kind in nothing)) return undefined;
  const made = scope && noted(layer, newBranch(scope.bid))?.found;
  // A branch with a base inherits its base's contents, even if the base is new too.
  const isBased = made === "has written nothing";
  if (isBased) return kind === "log" || kind === "graph" ? { found: nothing[kind] } : undefined;
  const isNew =
    made === "shows nothing" ||
    noted(layer, newWorkspace) ||
    (scope?.doc !== undefined && noted(layer, newDoc(scope.doc)));
  return isNew ? { found: nothing[kind] } : undefined;
}

const unwritten = (kind: FactKind): string => `unwritten ${kind}`;

/**
 * Records that facts of this kind depend on pending rows. The pending rows must be written before more facts are
 * loaded.
 */
export const noteUnwritten = (layer: Layer, kind: FactKind): void => note(layer, unwritten(kind));

/**
 * True if pending rows must be written before this need is loaded. An example is the view of a new branch with a base.
 */
export const isUnwritten = (layer: Layer, { kind, scope, keys }: Need): boolean =>
  layer.isAhead &&
  (noted(layer, unwritten(kind)) !== undefined ||
    isBasedOn(layer, scope?.bid) ||
    (kind === "lineage" && keys.some((bid) => isBasedOn(layer, bid))));

const isBasedOn = (layer: Layer, bid: number | undefined): boolean =>
  bid !== undefined && noted(layer, newBranch(bid))?.found === "has written nothing";

const keyedByBranch: ReadonlySet<FactKind> = new Set(["lineage", "branchedAt", "branchById", "taken"]);
const keyedByDoc: ReadonlySet<FactKind> = new Set(["tally", "ref"]);

/**
 * True if the need is about a branch or document that only the layer has. Until the layer is kept, another call may
 * take the same number.
 */
export function isAboutNew(layer: Layer, { kind, scope, keys }: Need): boolean {
  if (!layer.isAhead) return false;
  const isMade = (name: (number: number) => string, number: string | number | undefined) =>
    number !== undefined && noted(layer, name(Number(number))) !== undefined;
  return (
    isMade(newBranch, scope?.bid) ||
    isMade(newDoc, scope && "doc" in scope ? scope.doc : undefined) ||
    (keyedByBranch.has(kind) && keys.some((bid) => isMade(newBranch, bid))) ||
    (keyedByDoc.has(kind) && keys.some((doc) => isMade(newDoc, doc)))
  );
}

/** Combines the needs of many steps and calls, so that each fact is loaded once, in one batch per kind. */
export function combineNeeds(needs: readonly Need[]): Need[] {
  if (needs.length < 2) return [...needs];
  const combined = new Map<string, Need & { keys: (string | number)[] }>();
  const seen = new Set<string>();
  for (const need of needs) {
    const group = `${need.workspace} ${nameOf(need.kind, need.scope)} `;
    const same = combined.get(group) ?? ({ ...need, keys: [] } as Need & { keys: (string | number)[] });
    combined.set(group, same);
    for (const key of need.keys) {
      const name = `${group}${key}`;
      if (seen.has(name)) continue;
      seen.add(name);
      same.keys.push(key);
    }
  }
  return [...combined.values()];
}
