import { describe, expect, test } from "vitest";
import { type PackPlan, trimPack } from "../../src/operations/pipeline/fit/pack.ts";
import { type TrimPlan, trim } from "../../src/operations/pipeline/fit/trim.ts";
import fc from "../support/fast-check.ts";

type Json = Record<string, any>;

/** Returns texts that become longer in JSON and UTF-8. */
const anyText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength, size: "max" }),
    fc.string({ unit: "binary", minLength: 1, maxLength, size: "max" }),
    fc
      .tuple(fc.constantFrom("a", '"', "\\", "\u0001", "😀", "日", "é", "\ud800"), fc.nat({ max: maxLength }))
      .map(([unit, length]) => unit.repeat(length + 1).slice(0, maxLength)),
  );
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const meta = fc.dictionary(fc.string({ maxLength: 12 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });

const node = fc.record({
  id: anyText(256),
  type: anyText(128),
  title: maybe(anyText(500)),
  text: maybe(anyText(5_000)),
  status: maybe(anyText(128)),
  tags: maybe(fc.array(anyText(40), { maxLength: 64, size: "max" })),
  meta: maybe(meta),
});
const name = fc.stringMatching(/^[A-Za-z0-9._/-]{1,128}$/, { size: "max" });

const page = (items: Json[], next: unknown, cursor: unknown) => ({
  cursor,
  ...(next !== undefined && { next_cursor: next }),
  has_more: next !== undefined,
  limit: 200,
  count: items.length,
});

type Case = { answer: Json; plan: TrimPlan; items: Json[]; key?: string; place?: (item: Json) => unknown };

const stubNode = ({ id, type, title, status, last_seq }: Json) => ({ id, type, title, status, last_seq });
const stubEntry = ({ seq, ts_ms, kind, title }: Json) => ({ seq, ts_ms, kind, title });

/** Nodes newest first, as returned by graph_query, with edges that must refer to them. */
const graphCase: fc.Arbitrary<Case> = fc
  .record({ nodes: fc.array(node, { maxLength: 40 }), branch: name, doc: name, more: fc.boolean() })
  .map(({ nodes, branch, doc, more }) => {
    const items = nodes.map((one, n) => ({ ...one, last_seq: 9_000_000_000_000_000 - n }));
    const edges = items.map(({ id }) => ({ from: id, rel: "r", to: items[0]?.id, last_seq: 1 }));
    const next = more ? items.at(-1)?.last_seq : undefined;
    const adjust = (result: Json): Json => {
      const ids = new Set(result["nodes"].map(({ id }: Json) => id));
      return {
        ...result,
        edges: result["edges"].filter(({ from, to }: Json) => ids.has(from) && ids.has(to)),
      };
    };
    const cursor = ({ last_seq }: Json) => last_seq;
    return {
      answer: { branch, doc, nodes: items, edges, pagination: page(items, next, 9_000_000_000_000_000) },
      plan: { list: { key: "nodes", oldest: "last", cursor, stub: stubNode }, adjust },
      items,
      key: "nodes",
      place: cursor,
    };
  });

/** Entries oldest first, as returned by show, with a block that can be dropped. */
const logCase: fc.Arbitrary<Case> = fc
  .record({ nodes: fc.array(node, { maxLength: 40 }), branch: name, extra: meta, more: fc.boolean() })
  .map(({ nodes, branch, extra, more }) => {
    const items = nodes.map(({ text, title, tags: _tags, ...rest }, n) => ({
      seq: 8_000_000_000_000_000 + n,
      ts_ms: 1_794_744_000_000,
      branch,
      kind: "note",
      title,
      content: text,
      meta: rest.meta,
    }));
    const cursor = ({ seq }: Json) => seq;
    const next = more ? items[0]?.seq : undefined;
    return {
      answer: {
        branch,
        doc: "notes",
        entries: items,
        sequential: extra,
        pagination: page(items, next, null),
      },
      plan: { optional: ["sequential"], list: { key: "entries", oldest: "first", cursor, stub: stubEntry } },
      items,
      key: "entries",
      place: cursor,
    };
  });

/** Branches by name, whose cursor is a text that must not be cut. */
const nameCase: fc.Arbitrary<Case> = fc
  .record({ names: fc.uniqueArray(name, { maxLength: 40 }), workspace: name, checkout: name, cursor: name })
  .map(({ names, workspace, checkout, cursor: before }) => {
    const items = names.map((one) => ({ name: one, base_branch: checkout, base_seq: 12, created_at_ms: 1 }));
    const place = (item: Json) => item["name"];
    return {
      answer: { workspace, checkout, branches: items, pagination: page(items, undefined, before) },
      plan: {
        list: { key: "branches", oldest: "last", cursor: place, stub: ({ name: kept }) => ({ name: kept }) },
      },
      items,
      key: "branches",
      place,
    };
  });

const itemCase: fc.Arbitrary<Case> = fc.record({ node, branch: name }).map(({ node: only, branch }) => ({
  answer: { branch, card: { ...only, last_seq: 3 }, edges: { supports: [only.id] } },
  plan: { optional: ["edges"], item: { key: "card", stub: stubNode } },
  items: [],
}));

const bareCase: fc.Arbitrary<Case> = meta.map((answer) => ({ answer, plan: {}, items: [] }));

const anyCase = fc.oneof(graphCase, logCase, nameCase, itemCase, bareCase);
const budget = fc.oneof(fc.integer({ min: 300, max: 1_000 }), fc.integer({ min: 300, max: 20_000 }));
const runs = { numRuns: 250, interruptAfterTimeLimit: 30_000 };

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe("an answer that has to fit a budget", () => {
  test("fits in characters and in bytes with any content, and reports its size", () => {
    const seen = { whole: 0, fewer: 0, stubs: 0 };
    fc.assert(
      fc.property(anyCase, budget, maybe(budget), ({ answer, plan, key }, chars, bytes) => {
        const { result, used, truncated, minimal } = trim(answer, plan, { chars, bytes });
        expect(used).toBe(JSON.stringify(result).length);
        expect(used).toBeLessThanOrEqual(chars);
        if (bytes !== undefined) expect(bytesOf(result)).toBeLessThanOrEqual(bytes);
        expect(result["truncated"]).toBe(truncated);
        if (!truncated) expect(result).toEqual({ ...answer, truncated: false });
        if (minimal) expect(truncated).toBe(true);
        seen[minimal ? "stubs" : truncated && key ? "fewer" : "whole"] += 1;
      }),
      runs,
    );
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(10);
  });

  test("keeps the newest items of a page, at least one, and continues from there on the next page", () => {
    fc.assert(
      fc.property(anyCase, budget, maybe(budget), ({ answer, plan, items, key, place }, chars, bytes) => {
        fc.pre(key !== undefined && place !== undefined && items.length > 0);
        if (!key || !place) return;
        const { result, minimal } = trim(answer, plan, { chars, bytes });
        const kept = result[key] as Json[];
        expect(Array.isArray(kept) && kept.length, JSON.stringify(result)).toBeGreaterThanOrEqual(1);
        const newestFirst = [plan.list ?? []].flat()[0]?.oldest === "last";
        const expected = newestFirst ? items.slice(0, kept.length) : items.slice(-kept.length);
        if (!minimal) expect(kept.map(place)).toEqual(expected.map(place));
        const { pagination } = result as Json;
        expect(pagination.count).toBe(kept.length);
        if (kept.length === items.length) {
          expect(pagination.has_more).toBe(answer["pagination"].has_more);
          expect(pagination.next_cursor).toEqual(answer["pagination"].next_cursor);
          return;
        }
        const last = newestFirst ? expected.at(-1) : expected[0];
        expect(pagination).toMatchObject({ has_more: true, next_cursor: place(last ?? {}) });
        // An edge is useful only if both of its ends are shown.
        const ids = new Set(kept.map(({ id }) => id));
        if (!minimal && result["edges"])
          for (const { from, to } of result["edges"] as Json[])
            expect([from, to].every((end) => ids.has(end))).toBe(true);
      }),
      runs,
    );
  });

  test("is the same for the same input, and does not change its input", () => {
    fc.assert(
      fc.property(anyCase, budget, maybe(budget), ({ answer, plan }, chars, bytes) => {
        const before = JSON.stringify(answer);
        const first = JSON.stringify(trim(answer, plan, { chars, bytes }));
        expect(JSON.stringify(answer)).toBe(before);
        const copy = JSON.parse(before);
        expect(JSON.stringify(trim(copy, plan, { chars, bytes }))).toBe(first);
      }),
      runs,
    );
  });

  test("never has fewer items for a larger budget, and is complete if it fits", () => {
    fc.assert(
      fc.property(anyCase, budget, budget, ({ answer, plan, key }, one, other) => {
        const [less, more] = [one, other].sort((a, b) => a - b) as [number, number];
        const [small, large] = [less, more].map((chars) => trim(answer, plan, { chars }));
        const count = (result: Json | undefined) => (key ? (result?.[key]?.length ?? 0) : 0);
        expect(count(large?.result)).toBeGreaterThanOrEqual(count(small?.result));
        if (small && !small.truncated) expect(large?.truncated).toBe(false);
        if (small && !small.minimal) expect(large?.minimal).toBe(false);
        const size = JSON.stringify({ ...answer, truncated: false }).length;
        expect(trim(answer, plan, { chars: size }).truncated).toBe(false);
        if (size > 301) expect(trim(answer, plan, { chars: size - 1 }).truncated).toBe(true);
      }),
      runs,
    );
  });

  test("is counted in bytes if letters take three", () => {
    const answer = { note: { title: "日".repeat(400) } };
    const plan: TrimPlan = { item: { key: "note", stub: ({ title }) => ({ title }) } };
    const { result, truncated } = trim(answer, plan, { chars: 20_000, bytes: 1_000 });
    expect(truncated).toBe(true);
    expect(bytesOf(result)).toBeLessThanOrEqual(1_000);
    expect(bytesOf(result)).toBeGreaterThan(950);
  });

  test("keeps the whole ID in a stub if there is room", () => {
    const id = "n".repeat(120);
    const answer = {
      branch: "main",
      nodes: [{ id, type: "fact", title: "\u0001".repeat(500), last_seq: 7 }],
    };
    const plan: TrimPlan = {
      list: { key: "nodes", oldest: "last", cursor: ({ last_seq }) => last_seq, stub: stubNode },
    };
    const { result } = trim(answer, plan, { chars: 300 });
    expect((result["nodes"] as Json[])[0]).toMatchObject({ id, type: "fact", last_seq: 7 });
  });
});

describe("a pack that has to fit a budget", () => {
  const text = (max: number) => fc.nat({ max }).map((length) => "what was seen ".repeat(80).slice(0, length));
  const item = (size: number) =>
    fc.record({ title: text(60), text: text(size) }).map((fields) => ({ ...fields, type: "fact" }));
  const items = fc
    .array(item(900), { maxLength: 30, size: "max" })
    .map((list) => list.map((one, n) => ({ id: `ID-${n}`, ...one, last_seq: n })));
  const pack = fc.record({
    capsule: fc.record({ next: fc.record({ title: text(80) }) }),
    again: text(300),
    one: items,
    two: fc.record({ entries: items }),
    three: items,
  });
  const plan: PackPlan = {
    repeats: ["again"],
    lists: [
      { path: "one", oldest: "last", stub: stubNode },
      { path: "two.entries", oldest: "first", stub: stubNode },
      { path: "three", oldest: "last", stub: stubNode, least: 3 },
    ],
    blocks: ["two", "one", "three"],
    core: { key: "capsule", forms: (capsule) => [capsule, { next: { title: "…" } }] },
  };
  const paths: Record<string, (answer: Json) => Json[]> = {
    one: ({ one }) => one ?? [],
    two: ({ two }) => two?.entries ?? [],
    three: ({ three }) => three ?? [],
  };
  const shown = (answer: Json) =>
    Object.entries(paths).flatMap(([name, read]) =>
      read(answer).map(({ id, title = "", text: words = "" }) => ({ fact: `${name} ${id}`, title, words })),
    );
  const cutTo = (answer: Json, chars: number) => trimPack(answer, plan, { chars }).result as Json;

  test("is filled, so that the remaining room is less than one more item", () => {
    fc.assert(
      fc.property(pack, fc.integer({ min: 2_000, max: 20_000 }), (answer, chars) => {
        const result = cutTo(answer, chars);
        const used = JSON.stringify(result).length;
        expect(used).toBeLessThanOrEqual(chars);
        if (!result["truncated"]) return;
        const all = Object.values(paths).flatMap((read) => read(answer));
        // Unused room: at most an item with 200-character texts, a character per text, or the repeated part.
        const move = Math.max(400, JSON.stringify(answer.again).length + 12, 2 * all.length + 40);
        expect(chars - used, JSON.stringify(result["degradation"])).toBeLessThanOrEqual(move);
        for (const [name, read] of Object.entries(paths))
          if (read(answer).length > 0) expect(read(result).length, name).toBeGreaterThan(0);
      }),
      runs,
    );
  });

  test("never shows fewer facts for a larger budget, and counts what it leaves out", () => {
    fc.assert(
      fc.property(pack, budget, budget, (answer, one, other) => {
        const [less, more] = [one, other].sort((a, b) => a - b) as [number, number];
        const [small, large] = [cutTo(answer, less), cutTo(answer, more)];
        const known = new Map(shown(large).map((item) => [item.fact, item]));
        const whole = (cut: string) => cut.replace(/…$/, "");
        for (const { fact, title, words } of shown(small)) {
          expect(known.has(fact), fact).toBe(true);
          expect(known.get(fact)?.title.startsWith(whole(title))).toBe(true);
          expect(known.get(fact)?.words.startsWith(whole(words))).toBe(true);
        }
        for (const result of [small, large])
          for (const [name, read] of Object.entries(paths))
            if (result["degradation"])
              expect(read(result).length + (result["degradation"].left_out[name] ?? 0), name).toBe(
                read(answer).length,
              );
      }),
      runs,
    );
  });
});
