import { expect } from "vitest";
import type { GraphState, GraphVersion } from "../../src/domain/memory/graph.ts";
import type { NodeQuery } from "../../src/ports/memory/graph.ts";
import type { MemoryStore } from "../../src/ports/memory/memory-store.ts";
import { anyone } from "../../src/ports/memory/memory-store.ts";
import type { MemoryModel, ModelBranch, ModelConflict, ModelEntry, ModelVersion } from "./memory-model.ts";

type Filters = Omit<NodeQuery, "branch" | "doc">;

/** Compares every answer of a store with the model: every branch, document, filter, pair and page. */
export async function expectAgreement(
  store: MemoryStore,
  model: MemoryModel,
  workspace: string,
  docs: readonly string[],
  queries: readonly Filters[],
): Promise<void> {
  const { branches, checkout } = model.state();
  const conflicts = model.shownConflicts();
  const pageSize = queries[0]?.limit ?? 3;
  expect((await store.readWorkspace(workspace, anyone))?.checkout).toBe(checkout.name);
  const listed = await pages(pageSize, (last: { name: string } | undefined) =>
    store
      .listBranches(workspace, { after: last?.name ?? "", limit: pageSize + 1 })
      .then(cut("after", pageSize)),
  );
  expect(listed.map(({ name, base_branch }) => [name, base_branch])).toEqual(
    branches.map(({ name, base }) => [name, base?.name ?? null]).sort(byText),
  );
  for (const branch of branches) {
    await expectDocs(store, workspace, branch);
    for (const doc of docs) {
      await expectEntries(store, workspace, branch, doc, pageSize);
      for (const query of queries) await expectNodes(store, workspace, branch, doc, query);
      await expectEdges(store, workspace, model, branch, doc);
      await expectHealth(store, workspace, model, branch, doc);
      for (const other of branches) {
        await expectNoteDifference(store, workspace, branch, other, doc, pageSize);
        await expectGraphDifference(store, workspace, model, branch, other, doc, pageSize);
      }
      await expectConflicts(store, workspace, conflicts, branch, doc, pageSize);
    }
  }
}

const byText = ([one]: readonly unknown[], [other]: readonly unknown[]) =>
  String(one) < String(other) ? -1 : 1;
const newestFirst = (one: { tick: number }, other: { tick: number }) => other.tick - one.tick;

type Page<Item> = { items: Item[]; hasMore: boolean };

/** Follows pages to the end. No page is larger than requested, and only a single page may be empty. */
async function pages<Item>(
  limit: number,
  read: (last: Item | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const found: Item[] = [];
  for (;;) {
    const { items, hasMore } = await read(found.at(-1));
    expect(items.length).toBeLessThanOrEqual(limit);
    found.push(...items);
    if (!hasMore) return found;
    expect(items).toHaveLength(limit);
  }
}

const cut =
  (_direction: "after", limit: number) =>
  <Item>(items: Item[]): Page<Item> => ({ items: items.slice(0, limit), hasMore: items.length > limit });

async function expectDocs(store: MemoryStore, workspace: string, branch: ModelBranch): Promise<void> {
  const logs = [...branch.logs].filter(([, entries]) => entries.length > 0).map(([doc]) => [doc, "log"]);
  const graphs = [...branch.graphs].filter(([, graph]) => graph.size > 0).map(([doc]) => [doc, "graph"]);
  const found = await store.listDocs(workspace, branch.name);
  expect(found.map(({ doc, form }) => [doc, form])).toEqual(
    [...logs, ...graphs].sort((one, other) => byText([one.join(" ")], [other.join(" ")])),
  );
  for (const { doc, form, last_seq } of found) {
    const last =
      form === "log"
        ? (await store.readEntries(workspace, { branch: branch.name, doc, limit: 1 })).entries[0]?.seq
        : undefined;
    if (last !== undefined) expect(last_seq).toBe(last);
  }
}

/** Returns the visible parts of an entry, without the numbers that the store assigned. */
const showEntry = ({ home, kind, content, copied }: ModelEntry) => [home.name, kind, content, copied];

/** Reads all pages, which are ordered newest first, with the entries in each page oldest first. */
async function readAll(
  limit: number,
  read: (before: number | undefined) => ReturnType<MemoryStore["readEntries"]>,
): Promise<unknown[]> {
  const newestToOldest = await pages(limit, async (last: { seq: number } | undefined) => {
    const { entries, hasMore } = await read(last?.seq);
    const seqs = entries.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
    return { items: entries.toReversed(), hasMore };
  });
  return newestToOldest
    .toReversed()
    .map((entry: any) => [
      entry.branch,
      entry.kind,
      entry.content,
      /^merge:.+:\d+$/.test(entry.source_event_id ?? ""),
    ]);
}

async function expectEntries(
  store: MemoryStore,
  workspace: string,
  { name, logs }: ModelBranch,
  doc: string,
  limit: number,
): Promise<void> {
  const found = await readAll(limit, (before) =>
    store.readEntries(workspace, { branch: name, doc, before, limit }),
  );
  expect(found, `${doc} on ${name}`).toEqual((logs.get(doc) ?? []).map(showEntry));
}

async function expectNoteDifference(
  store: MemoryStore,
  workspace: string,
  from: ModelBranch,
  to: ModelBranch,
  doc: string,
  limit: number,
): Promise<void> {
  const found = await readAll(limit, (before) =>
    store.readDifference(workspace, { branch: to.name, without: from.name, doc, before, limit }),
  );
  const held = from.logs.get(doc) ?? [];
  const expected = (to.logs.get(doc) ?? []).filter((entry) => !held.includes(entry));
  expect(found, `${doc} from ${from.name} to ${to.name}`).toEqual(expected.map(showEntry));
}

/** Returns a version without its sequence number and without empty fields. */
function showState(state: GraphState | GraphVersion): Record<string, unknown> {
  const {
    last_seq: _seq,
    last_ts_ms: _ts,
    ...shown
  } = state as GraphState & { last_seq?: number; last_ts_ms?: number };
  return Object.fromEntries(
    Object.entries(shown).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

function expectDescending(versions: readonly GraphVersion[]): void {
  const seqs = versions.map(({ last_seq }) => last_seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => other - one));
}

function fits({ state }: ModelVersion, query: Filters): boolean {
  if (state.kind !== "node" || (state.deleted && !query.includeDeleted)) return false;
  const { ids, types = [], status, tagsAny = [], tagsAll = [], text } = query;
  const held = state.tags ?? [];
  const tokens = `${state.title ?? ""} ${state.text ?? ""}`.split(" ");
  return (
    (!ids || ids.includes(state.id)) &&
    (types.length === 0 || types.includes(state.type)) &&
    (status === undefined || state.status === status) &&
    (tagsAny.length === 0 || tagsAny.some((tag) => held.includes(tag))) &&
    tagsAll.every((tag) => held.includes(tag)) &&
    (text === undefined || text.split(" ").every((word) => tokens.some((token) => token.startsWith(word))))
  );
}

async function expectNodes(
  store: MemoryStore,
  workspace: string,
  branch: ModelBranch,
  doc: string,
  query: Filters,
): Promise<void> {
  const found = await pages(query.limit, async (last: GraphVersion | undefined) => {
    const asked = { ...query, branch: branch.name, doc, before: last?.last_seq };
    const { nodes, hasMore } = await store.queryNodes(workspace, asked);
    return { items: nodes, hasMore };
  });
  const expected = [...(branch.graphs.get(doc)?.values() ?? [])]
    .filter((version) => fits(version, query))
    .sort(newestFirst);
  expectDescending(found);
  expect(found.map(showState), JSON.stringify({ on: branch.name, doc, query })).toEqual(
    expected.map(({ state }) => showState(state)),
  );
}

async function expectEdges(
  store: MemoryStore,
  workspace: string,
  model: MemoryModel,
  branch: ModelBranch,
  doc: string,
): Promise<void> {
  const place = { branch: branch.name, doc };
  const edges = model.liveEdges(branch, doc).sort(newestFirst);
  const ends = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  const among = (some: readonly string[]) =>
    edges.filter(({ from, to }) => some.includes(from) && some.includes(to));
  for (const some of [ends, ends.slice(1), [...ends, ...ends], []]) {
    for (const limit of [1, 1_000]) {
      const query = { ...place, ids: some, ends: "among", limit } as const;
      const { edges: found } = await store.queryEdges(workspace, query);
      const expected = among(some).slice(0, limit);
      expect(found.map(showState)).toEqual(expected.map(({ edge }) => showState(edge)));
    }
  }
  for (const end of ends) {
    for (const limit of [1, 2, 1_000]) {
      const query = { ...place, ids: [end], ends: "touching", limit } as const;
      const page = await store.queryEdges(workspace, query);
      const touching = edges.filter(({ from, to }) => from === end || to === end);
      const expected = touching.slice(0, limit);
      expect(page.edges.map(showState)).toEqual(expected.map(({ edge }) => showState(edge)));
      expect(page).toMatchObject({ total: touching.length, hasMore: touching.length > limit });
      const next = page.edges.at(-1)?.last_seq;
      const following = await store.queryEdges(workspace, { ...query, before: next });
      const rest = touching.slice(expected.length, expected.length + limit);
      expect(following.edges.map(showState)).toEqual(rest.map(({ edge }) => showState(edge)));
    }
  }
}

async function expectHealth(
  store: MemoryStore,
  workspace: string,
  model: MemoryModel,
  branch: ModelBranch,
  doc: string,
): Promise<void> {
  const place = { branch: branch.name, doc };
  const versions = [...(branch.graphs.get(doc)?.values() ?? [])];
  const edges = model.liveEdges(branch, doc).sort(newestFirst);
  const dangling = edges
    .map(({ edge, from, to }) => ({
      edge,
      missing: [...new Set([from, to])].filter((end) => !model.isLive(branch, doc, end)),
    }))
    .filter(({ missing }) => missing.length > 0);
  for (const most of [1, 1_000]) {
    const found = await store.checkGraph(workspace, place, most);
    expect({
      ...found,
      dangling: found.dangling.map(({ edge, missing }) => ({ edge: showState(edge), missing })),
    }).toEqual({
      nodes: versions.filter(({ state }) => state.kind === "node" && !state.deleted).length,
      edges: edges.length,
      dangling: dangling.slice(0, most).map(({ edge, missing }) => ({ edge: showState(edge), missing })),
      danglingTotal: dangling.length,
    });
  }
  if (!branch.base) return;
  const changed = versions.filter(({ home }) => home === branch).length;
  const merge = { from: branch.name, into: branch.base.name, doc, after: 0, limit: 1_000 };
  const preview = await store.previewGraphMerge(workspace, merge, new Date(0));
  expect(preview.total).toBeLessThanOrEqual(changed);
  if (preview.total === 0 && changed > 0)
    expect(preview).toMatchObject({ merged: 0, skipped: changed, summary: { conflicts: 0 } });
}

async function expectGraphDifference(
  store: MemoryStore,
  workspace: string,
  model: MemoryModel,
  from: ModelBranch,
  to: ModelBranch,
  doc: string,
  limit: number,
): Promise<void> {
  const found = await pages(limit, async (last: GraphVersion | undefined) => {
    const asked = { from: from.name, to: to.name, doc, before: last?.last_seq, limit };
    const { changes, hasMore } = await store.diffGraph(workspace, asked);
    return { items: changes, hasMore };
  });
  const held = from.graphs.get(doc);
  const expected = [...(to.graphs.get(doc) ?? [])]
    .filter(([key, { state }]) => model.meaning(state) !== model.meaning(held?.get(key)?.state))
    .map(([, version]) => version)
    .sort(newestFirst);
  expectDescending(found);
  expect(found.map(showState), `${doc} from ${from.name} to ${to.name}`).toEqual(
    expected.map(({ state }) => showState(state)),
  );
}

async function expectConflicts(
  store: MemoryStore,
  workspace: string,
  conflicts: readonly ModelConflict[],
  into: ModelBranch,
  doc: string,
  limit: number,
): Promise<void> {
  for (const status of [undefined, "open", "resolved"] as const) {
    const found = await pages(limit, async (last: { order: number } | undefined) => {
      const asked = { into: into.name, doc, status, after: last?.order ?? 0, limit };
      const page = await store.listConflicts(workspace, asked);
      return { items: page.conflicts, hasMore: page.hasMore };
    });
    const expected = conflicts.filter(
      (one) =>
        one.into === into &&
        one.doc === doc &&
        (status === undefined || (status === "open") === (one.resolution === undefined)),
    );
    const byId = (one: { conflict_id: string }, other: { conflict_id: string }) =>
      one.conflict_id < other.conflict_id ? -1 : 1;
    const described = expected.map(({ id, key, from, states, resolution }) => ({
      conflict_id: id,
      key,
      from: from.name,
      into: into.name,
      doc,
      ...states,
      status: resolution === undefined ? "open" : "resolved",
      ...(resolution !== undefined && { resolution }),
    }));
    // A paged merge finds the same conflicts in a different order.
    expect(found.toSorted(byId)).toMatchObject(described.toSorted(byId));
    for (const { order: _order, ...conflict } of found)
      expect(await store.readConflict(workspace, conflict.conflict_id)).toMatchObject(conflict);
  }
}
