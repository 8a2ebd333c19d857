import { describe, expect, test } from "vitest";
import { layOutBoard } from "./board.ts";
import { fingerprint } from "./fingerprint.ts";
import { sampleSession, writeSession } from "./session.testing.ts";
import { createTimeScale } from "./timescale.ts";

describe("the time strip", () => {
  test("follows the order of recording, and draws a gap over three minutes as one minute", () => {
    const { columns, think } = writeSession();
    for (const at of [0, 10_000, 400_000, 410_000]) think("", "O", { at });
    const scale = createTimeScale(columns);
    expect([...scale.position.slice(0, 4)]).toEqual([0, 10_000, 70_000, 80_000]);
    expect(scale.cuts).toEqual([2]);
    expect(scale.end).toBe(80_000);
    think("", "O", { at: 411_000 });
    scale.extend();
    expect(scale.end).toBe(81_000);
  });

  test("never runs backwards, even if a clock does", () => {
    const { columns, think } = writeSession();
    for (const at of [5000, 1000, 6000]) think("", "O", { at });
    expect([...createTimeScale(columns).position.slice(0, 3)]).toEqual([0, 0, 5000]);
  });

  test("snaps to the nearest thought", () => {
    const { columns } = sampleSession();
    const scale = createTimeScale(columns);
    expect(scale.thoughtAt(-5)).toBe(0);
    expect(scale.thoughtAt(3900)).toBe(3);
    expect(scale.thoughtAt(1e9)).toBe(columns.size - 1);
  });

  test("shares a row between branches that do not overlap in time, with at most three rows", () => {
    const { columns, think } = sampleSession();
    const scale = createTimeScale(columns);
    expect([0, 1, 2, 3].map(scale.rowOf)).toEqual([0, 1, 1, 1]);
    for (const name of ["p", "q", "r", "s"]) think(name, "O", { fork: 0 });
    for (const name of ["p", "q", "r", "s"]) think(name, "O");
    scale.extend();
    expect([4, 5, 6, 7].map(scale.rowOf)).toEqual([1, 2, 3, 3]);
  });
});

describe("a fingerprint", () => {
  test("shows every type of a short session and samples a long one", () => {
    expect([...fingerprint([3, 1, 2], 3, 192).bars]).toEqual([3, 1, 2]);
    expect(fingerprint([3, 1, 2], 3, 192).step).toBe(4);
    const long = fingerprint(new Uint8Array(10_000).fill(5), 10_000, 200);
    expect(long.bars.length).toBe(100);
    expect(long.step).toBe(2);
    expect(fingerprint([], 0, 100).bars.length).toBe(0);
  });
});

describe("the board of a memory", () => {
  const card = (id: string, type: string, more = {}) => ({
    id,
    type,
    status: "open",
    pinned: false,
    last_seq: 1,
    ...more,
  });

  test("puts a card in the row of the first card that it supports or blocks", () => {
    const cards = [
      card("F1", "frame"),
      card("F2", "frame"),
      card("H1", "hypothesis"),
      card("H2", "hypothesis"),
      card("T1", "test"),
    ];
    const edges = [
      { from: "H1", rel: "supports", to: "F2" },
      { from: "T1", rel: "blocks", to: "H1" },
      { from: "H2", rel: "mentions", to: "F2" },
    ];
    const rows = Object.fromEntries(layOutBoard(cards, edges).places.map(({ id, row }) => [id, row]));
    expect(rows).toEqual({ F1: 0, F2: 1, H1: 1, H2: 0, T1: 1 });
  });

  test("never puts two cards in one place, and puts unknown types beside the pipeline", () => {
    const cards = [
      card("F", "frame"),
      ...[1, 2, 3].map((k) => card(`H${k}`, "hypothesis")),
      card("?", "toString"),
    ];
    const edges = [1, 2, 3].map((k) => ({ from: `H${k}`, rel: "supports", to: "F" }));
    const { places, rows } = layOutBoard(cards, edges);
    expect(new Set(places.map(({ column, row }) => `${column} ${row}`)).size).toBe(cards.length);
    expect(places.find(({ id }) => id === "?")?.column).toBe("beside");
    expect(rows).toBe(3);
  });

  test("shows pinned, open and new cards first if there are too many", () => {
    const cards = Array.from({ length: 300 }, (_, k) =>
      card(`N${k}`, "note", { last_seq: k, pinned: k === 0, status: k < 150 ? "closed" : "open" }),
    );
    const { places, more } = layOutBoard(cards, []);
    expect(places.length).toBe(200);
    expect(more.beside).toBe(100);
    const shown = new Set(places.map(({ id }) => id));
    expect([shown.has("N0"), shown.has("N299"), shown.has("N1")]).toEqual([true, true, false]);
  });
});
