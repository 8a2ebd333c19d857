import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deriveEdges } from "./edges.ts";
import { cipherOperators, cipherTypes } from "./notation.ts";
import { parseCipher } from "./parse.ts";

const guide = readFileSync(new URL("../../../content/cipher.md", import.meta.url), "utf8");
const examples = Array.from(guide.matchAll(/^```cipher\n(.*?)^```$/gms), (match) => match[1] ?? "");

describe("the cipher guide", () => {
  it.each(examples)("contains only examples that parse without a warning: %s", (example) => {
    expect(parseCipher(example)?.warnings).toEqual([]);
  });

  it("shows every kind of relation", () => {
    const shown = examples.flatMap((example) => deriveEdges(parseCipher(example)?.steps ?? []));
    expect(new Set(shown.map((edge) => edge.relation))).toEqual(
      new Set(["supports", "revises", "rejects", "contradicts"]),
    );
  });

  it("explains every type and operator", () => {
    for (const [letter, { name }] of Object.entries(cipherTypes))
      expect(guide).toContain(`| \`${letter}\` | ${name} |`);
    for (const symbol of Object.keys(cipherOperators)) expect(guide).toContain(`\`${symbol}\``);
  });
});
