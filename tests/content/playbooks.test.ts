import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { evidenceScore } from "../../src/domain/engine/confidence.ts";
import { linkSlice } from "../../src/domain/engine/slice.ts";
import { isThinkType, type ThinkType } from "../../src/domain/memory/cards/card.ts";
import { decideCards } from "../../src/domain/memory/cards/decide-cards.ts";
import { readCard } from "../../src/domain/memory/cards/read-card.ts";
import { parseFrontMatter } from "../../src/kernel/front-matter.ts";

const folder = join(import.meta.dirname, "..", "..", "content", "playbooks");
const named = [
  "bisect",
  "breakthrough",
  "contradiction",
  "criteria_matrix",
  "debug",
  "default",
  "experiment",
  "strict",
];

const playbooks = readdirSync(folder).map((file) => {
  const { head, body } = parseFrontMatter(readFileSync(join(folder, file), "utf8"));
  const cards = [...body.matchAll(/```card\n([\s\S]*?)```/g)].map(([, text = ""]) => readCard(text));
  return { file, head, body, cards };
});
const ofNames = playbooks.filter(({ file }) => file !== "generic.md");

test("the folder contains the eight named playbooks and a template for every other name", () => {
  expect(playbooks.map(({ file }) => file.replace(/\.md$/, ""))).toEqual([...named, "generic"].sort());
});

describe.each(ofNames)("$file", ({ file, head, body, cards }) => {
  test("states its purpose, its steps, when to stop and the traps", () => {
    expect(head).toEqual({
      name: file.replace(/\.md$/, ""),
      title: expect.any(String),
      description: expect.any(String),
    });
    expect([...body.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
      "When to use",
      "Steps",
      "Worked example",
      "Stop when",
      "Traps",
    ]);
    expect(body.match(/^\d+\. /gm)?.length).toBeGreaterThanOrEqual(5);
    expect(body.match(/\*Sign:\*/g)?.length).toBeGreaterThanOrEqual(3);
  });

  test("has an example that can be recorded unchanged and contains a test that can be run", () => {
    const ids = cards.map(({ id }) => id);
    const facts = { nodes: new Map(), written: new Map(), edges: new Set<string>(), nextCard: 1 };
    const { outcomes } = decideCards(facts, { workspace: "w", cards });
    expect(outcomes.every(({ inserted }) => inserted)).toBe(true);
    expect(
      cards.flatMap(({ supports, blocks }) => [...supports, ...blocks]).filter((id) => !ids.includes(id)),
    ).toEqual([]);
    expect(cards.some(({ type, meta }) => type === "test" && JSON.stringify(meta).includes("cmd"))).toBe(
      true,
    );
  });

  test("bases its decision on evidence that someone else could check", () => {
    const nodes = cards.map((card, at) => ({
      ...card,
      id: card.id ?? "",
      type: (isThinkType(card.type) ? card.type : "note") as ThinkType,
      last_seq: at,
      last_ts_ms: at,
    }));
    const edges = cards.flatMap(({ id = "", supports, blocks }) => [
      ...supports.map((to) => ({ from: id, rel: "supports", to })),
      ...blocks.map((to) => ({ from: id, rel: "blocks", to })),
    ]);
    const linked = linkSlice({ cards: nodes, edges });
    const basis = nodes
      .filter(({ type }) => type === "decision")
      .flatMap((decision) => linked.outOf(decision, "supports"));
    for (const card of basis) expect(evidenceScore(card, linked), card.id).toBeGreaterThanOrEqual(60);
  });
});

test("the template names all the others", () => {
  const generic = playbooks.find(({ file }) => file === "generic.md")?.body ?? "";
  for (const name of named) expect(generic).toContain(`\`${name}\``);
});
