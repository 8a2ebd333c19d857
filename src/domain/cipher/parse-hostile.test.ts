import { describe, expect, it } from "vitest";
import { deriveEdges } from "./edges.ts";
import type { CipherStep } from "./notation.ts";
import { parseCipher } from "./parse.ts";

function readOnly(text: string): CipherStep {
  const [step, ...others] = parseCipher(text)?.steps ?? [];
  expect(others).toEqual([]);
  if (step === undefined) throw new Error("no step");
  return step;
}

describe("a hostile text of one megabyte", () => {
  const mebibyte = 2 ** 20;
  const fill = (unit: string) => unit.repeat(mebibyte / unit.length);

  it.each(["S1|", "|", "S1|H", "[S1]", "S", " ", "\n", " S1|O|"].map((unit) => [unit]))(
    "of %j is prose",
    (unit) => {
      expect(parseCipher(`x${fill(unit)}`)).toBeUndefined();
    },
  );

  it.each(
    ["^", "[S", "[S1-", "S1-", "1", "|", "S1 ,", " ", " x", "\n ", "S1,x", "O|S1|"].map((unit) => [unit]),
  )("of %j after a header is one step without references", (unit) => {
    expect(readOnly(`S1|O|${fill(unit)}x`).references).toEqual([]);
  });

  it("has every inline reference found", () => {
    expect(readOnly(`S9|O|${fill("[S1]")}`).references).toHaveLength(mebibyte / 4);
  });

  it("has every member of its list found", () => {
    expect(readOnly(`S9|O|${fill("S1, ")}|x`).references).toHaveLength(mebibyte / 4);
  });

  it("has every step found, with at most a hundred warnings", () => {
    const { steps, warnings } = parseCipher(fill("S1|O|ab\n")) ?? { steps: [], warnings: [] };
    expect(steps).toHaveLength(mebibyte / 8);
    expect(steps.at(-1)?.line).toBe(mebibyte / 8);
    expect(warnings).toHaveLength(100);
  });

  it.each([
    ["steps of branches", `S1|E|${"a:S1,".repeat(40)}?|x`],
    ["steps and hyphens", `S1|E|${"S1-".repeat(100)}?|x`],
    ["numbers in columns", `S4|O|${"12   15   ".repeat(35)}ms | p95`],
  ])("with a field of %s that is not a list keeps it as text", (_, text) => {
    expect(readOnly(text)).toMatchObject({ references: [], content: text.slice(text.indexOf("|", 3) + 1) });
  });

  it.each([
    ["blanks before many signs", `S2|H|[S1]${" ".repeat(mebibyte / 2)}${"⊖".repeat(mebibyte / 8)}`, 1],
    ["a question about itself", `S2|Q|[S2] ⊖ ${"[S2]".repeat(mebibyte / 4)}`, 0],
    ["hyphens after a sign", `S2|H|[S1] ⊖ ${fill("-")}`, 1],
    ["blanks after semicolons", `S1|H|⊖ ${";[".repeat(50)}]${fill(" ")}x`, 0],
    ["line ends after a sign", `S2|H|[S1] ⊖ ${fill("\n")}x`, 1],
  ])("with %s is read in one pass", (_, text, edges) => {
    expect(deriveEdges([readOnly(text)])).toHaveLength(edges);
  });

  it("does not have its long ranges expanded", () => {
    const { references } = readOnly(`S9|O|${fill("[S1-S999999999] ")}`);
    expect(references).toEqual([]);
  });
});
