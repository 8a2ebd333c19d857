import type { BranchRow, FactKind, FactKinds, Need } from "./rows.ts";

/**
 * Known facts in layers: a step's layer is above its call's, and that is above the loaded facts. Dropping a layer
 * undoes it.
 */
export type Layer = {
  rows: Map<string, unknown>;
  below: Layer | undefined;
  /** The layer contains changes that the store does not have yet. */
  isAhead: boolean;
};

export const layerOn = (below: Layer | undefined): Layer => ({
  rows: new Map(),
  below,
  isAhead: below?.isAhead ?? false,
});

export function keepLayer({ rows, below, isAhead }: Layer): void {
  if (!below) return;
  for (const [name, found] of rows) below.rows.set(name, found);
  below.isAhead ||= isAhead;
}

function note(layer: Layer, what: string, as: unknown = true): void {
  layer.rows.set(what, as);
  layer.isAhead = true;
}

type Scope = { bid: number; doc?: number } | undefined;

/**
 * The part of a fact's name before the key. Computed once per kind, because a card is looked up under dozens of keys.
 */
export const factPrefix = (kind: FactKind, scope: Scope): string =>
  scope === undefined ? `${kind} ` : `${kind} ${scope.bid} ${scope.doc ?? ""} `;

export const factName = (kind: FactKind, scope: Scope, key: string | number): string =>
  `${factPrefix(kind, scope)}${key}`;

const isNoted = (layer: Layer, name: string): boolean => {
  for (let at: Layer | undefined = layer; at; at = at.below) if (at.rows.has(name)) return true;
  return false;
};

/** The keys whose facts are unknown. */
export function unknownKeys<Key extends string | number>(
  layer: Layer,
  kind: FactKind,
  scope: Scope,
  keys: readonly Key[],
): Key[] {
  const prefix = factPrefix(kind, scope);
  const missing = keys.filter((key) => !isNoted(layer, `${prefix}${key}`));
  return missing.length > 0 && knownNothing(layer, kind, scope) ? [] : missing;
}

/** Wrapped, so that a fact that is known to be absent differs from an unknown one. */
export function lookUp(layer: Layer, name: string): { found: unknown } | undefined {
  for (let at: Layer | undefined = layer; at; at = at.below) {
    const found = at.rows.get(name);
    if (found !== undefined || at.rows.has(name)) return { found };
  }
  return undefined;
}

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

/** The facts about something just created, without a lookup. */
export function knownNothing(layer: Layer, kind: FactKind, scope: Scope): { found: unknown } | undefined {
  if (!layer.isAhead || !(kind in nothing)) return undefined;
  const made = scope && lookUp(layer, newBranch(scope.bid))?.found;
  // A branch with a base shows its base's contents, even if the base was also just written.
  const isBased = made === "has written nothing";
  if (isBased) return kind === "log" || kind === "graph" ? { found: nothing[kind] } : undefined;
  const isNew =
    made === "shows nothing" ||
    lookUp(layer, newWorkspace) ||
    (scope?.doc !== undefined && lookUp(layer, newDoc(scope.doc)));
  return isNew ? { found: nothing[kind] } : undefined;
}

const unwritten = (kind: FactKind): string => `unwritten ${kind}`;

/** Records that facts of this kind depend on pending rows. Those must be written before more facts are loaded. */
export const noteUnwritten = (layer: Layer, kind: FactKind): void => note(layer, unwritten(kind));

/** The view of a new branch with a base can be loaded only after the branch is written. */
export const isUnwritten = (layer: Layer, { kind, scope, keys }: Need): boolean =>
  layer.isAhead &&
  (lookUp(layer, unwritten(kind)) !== undefined ||
    isBasedOn(layer, scope?.bid) ||
    (kind === "lineage" && keys.some((bid) => isBasedOn(layer, bid))));

const isBasedOn = (layer: Layer, bid: number | undefined): boolean =>
  bid !== undefined && lookUp(layer, newBranch(bid))?.found === "has written nothing";

/** Combines the needs of many steps and calls, so that each fact is loaded once, together with others of its kind. */
export function combineNeeds(needs: readonly Need[]): Need[] {
  if (needs.length < 2) return [...needs];
  const combined = new Map<string, Need & { keys: (string | number)[] }>();
  const seen = new Set<string>();
  for (const need of needs) {
    const group = `${need.workspace} ${factName(need.kind, need.scope, "")}`;
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
