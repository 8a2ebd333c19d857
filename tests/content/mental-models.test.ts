import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseCipher } from "../../src/domain/cipher/parse.ts";
import { parseMentalModel } from "../../src/operations/ledger/models/mental-models.ts";

const folder = join(import.meta.dirname, "..", "..", "content", "mental-models");

/** The exact models and tags in the contract. */
const contract: Record<string, string[]> = {
  "rubber-duck": ["debugging"],
  "five-whys": ["debugging", "problem-solving"],
  "pre-mortem": ["planning", "risk-management"],
  steelmanning: ["decision-making"],
  "fermi-estimation": ["planning", "analysis"],
  "trade-off-matrix": ["decision-making"],
  decomposition: ["planning", "problem-solving"],
  inversion: ["decision-making", "risk-management"],
  "abstraction-laddering": ["problem-solving", "analysis"],
  "constraint-relaxation": ["problem-solving"],
  "assumption-surfacing": ["analysis"],
  "adversarial-thinking": ["risk-management"],
  "time-horizon-shifting": ["planning", "decision-making"],
  "impact-effort-grid": ["planning", "decision-making"],
  "opportunity-cost": ["decision-making"],
};

test("the folder contains exactly the fifteen models of the contract", () => {
  expect(readdirSync(folder).sort()).toEqual(
    Object.keys(contract)
      .map((name) => `${name}.md`)
      .sort(),
  );
});

describe.each(Object.entries(contract))("%s", (name, tags) => {
  const text = readFileSync(join(folder, `${name}.md`), "utf8");
  const model = parseMentalModel(text);

  test("has its name and tags", () => {
    expect(model).toMatchObject({ name, tags });
  });

  test("has every section in order, in 60 to 140 lines", () => {
    const headings = [...model.content.matchAll(/^#{1,2} (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      model.title,
      "Purpose",
      "When to use",
      "Process",
      "Worked example",
      "Anti-patterns",
    ]);
    expect(model.content).toMatch(/^1\. /m);
    const lines = text.trimEnd().split("\n").length;
    expect(lines).toBeGreaterThanOrEqual(60);
    expect(lines).toBeLessThanOrEqual(140);
  });

  test("contains only cipher steps that the parser reads without warnings", () => {
    const blocks = [...model.content.matchAll(/```(?:text|cipher)?\n([\s\S]*?)```/g)].map(
      ([, block]) => block ?? "",
    );
    const cipher = blocks.filter((block) => /^S\d+\|/.test(block));
    for (const block of cipher) expect(parseCipher(block)?.warnings).toEqual([]);
  });
});
