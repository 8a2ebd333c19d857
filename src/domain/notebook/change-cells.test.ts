import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import {
  addCell,
  addPackages,
  type CellChange,
  type CellVersion,
  deleteCell,
  moveCell,
  restoreCell,
  updateCell,
} from "./change-cells.ts";
import { type Cell, cellTypes, filenameOf, type Notebook, textOf } from "./notebook.ts";

const empty: Notebook = { id: "n", language: "typescript", net: false, cells: [] };

function applied(notebook: Notebook, { cells }: CellChange): Notebook {
  return { ...notebook, cells };
}

function withCode(...filenames: string[]): Notebook {
  return filenames.reduce(
    (notebook, filename) =>
      applied(notebook, addCell(notebook, `id-${filename}`, { type: "code", content: "1", filename }, {})),
    empty,
  );
}

const names = ({ cells }: { cells: readonly Cell[] }) => cells.map(filenameOf);

test("packages are added to those that the notebook has by then, or to a new cell after the title", () => {
  const draft = { type: "title", content: "Cents" } as const;
  const titled = applied(withCode("a.ts"), addCell(withCode("a.ts"), "t", draft, { position: 0 }));
  const one = applied(titled, addPackages(titled, "p", [{ name: "zod", range: "4" }]));
  expect(one.cells.map(({ id }) => id)).toEqual(["t", "p", "id-a.ts"]);
  const two = applied(one, addPackages(one, "q", [{ name: "ms", range: "2" }]));
  expect(two.cells.map(({ id, version }) => [id, version])).toEqual([
    ["t", 1],
    ["p", 2],
    ["id-a.ts", 1],
  ]);
  const [, cell] = two.cells;
  expect(JSON.parse(cell ? textOf(cell) : "").dependencies).toEqual({ ms: "2", zod: "4" });
});

describe("adding a cell", () => {
  test("appends it, or places it after another cell or at a position", () => {
    const notebook = withCode("a.ts", "b.ts");
    const draft = { type: "code", content: "2", filename: "c.ts" } as const;
    expect(names(addCell(notebook, "c", draft, {}))).toEqual(["a.ts", "b.ts", "c.ts"]);
    expect(names(addCell(notebook, "c", draft, { afterCellId: "id-a.ts" }))).toEqual([
      "a.ts",
      "c.ts",
      "b.ts",
    ]);
    expect(names(addCell(notebook, "c", draft, { afterCellId: "a.ts" }))).toEqual(["a.ts", "c.ts", "b.ts"]);
    expect(names(addCell(notebook, "c", draft, { position: 0 }))).toEqual(["c.ts", "a.ts", "b.ts"]);
    expect(names(addCell(notebook, "c", draft, { position: 99 }))).toEqual(["a.ts", "b.ts", "c.ts"]);
  });

  test("gives code without a filename one for the notebook's language or the requested one", () => {
    const notebook = withCode("cell-1.ts");
    expect(names(addCell(notebook, "x", { type: "code", content: "" }, {}))).toEqual([
      "cell-1.ts",
      "cell-2.ts",
    ]);
    expect(names(addCell(notebook, "x", { type: "code", content: "", language: "javascript" }, {}))).toEqual([
      "cell-1.ts",
      "cell-1.js",
    ]);
  });

  test.each([
    ["a folder", { type: "code", content: "", filename: "src/a.ts" }, "INVALID_PAYLOAD"],
    ["the parent folder", { type: "code", content: "", filename: "../a.ts" }, "INVALID_PAYLOAD"],
    ["a hidden file", { type: "code", content: "", filename: ".npmrc" }, "INVALID_PAYLOAD"],
    ["a hidden file of code", { type: "code", content: "", filename: ".a.ts" }, "INVALID_PAYLOAD"],
    ["another kind of file", { type: "code", content: "", filename: "a.sh" }, "INVALID_PAYLOAD"],
    ["a name that is taken", { type: "code", content: "", filename: "A.ts" }, "CONFLICT"],
    [
      "a language that does not match its filename",
      { type: "code", content: "", filename: "b.js", language: "typescript" },
      "INVALID_PAYLOAD",
    ],
    ["prose with a filename", { type: "markdown", content: "", filename: "b.ts" }, "INVALID_PAYLOAD"],
    ["a title of two lines", { type: "title", content: "a\nb" }, "INVALID_PAYLOAD"],
    ["an invalid package.json", { type: "package.json", content: "{" }, "INVALID_PAYLOAD"],
    [
      "a dependency from the disk",
      { type: "package.json", content: '{"dependencies":{"a":"file:/etc"}}' },
      "INVALID_PAYLOAD",
    ],
    [
      "a cell that is too large",
      { type: "markdown", content: "x".repeat(256 * 1024 + 1) },
      "INVALID_PAYLOAD",
    ],
  ] as const)("refuses %s, with the reason", (_what, draft, code) => {
    expect(() => addCell(withCode("a.ts"), "x", draft, {})).toThrow(
      expect.objectContaining({ code, reason: expect.any(String) }),
    );
  });
});

test("moving keeps the versions, and a cell cannot be moved after itself", () => {
  const notebook = withCode("a.ts", "b.ts", "c.ts");
  const moved = moveCell(notebook, "a.ts", { afterCellId: "c.ts" });
  expect(names(moved)).toEqual(["b.ts", "c.ts", "a.ts"]);
  expect(moved.written).toBeUndefined();
  expect(names(moveCell(notebook, "c.ts", { position: 1 }))).toEqual(["a.ts", "c.ts", "b.ts"]);
  expect(() => moveCell(notebook, "a.ts", { afterCellId: "a.ts" })).toThrow("cell_after_itself");
  expect(() => moveCell(notebook, "a.ts", {})).toThrow("no_position");
});

test("restores a deleted cell at its place, and a changed one with its earlier content", () => {
  const notebook = withCode("a.ts", "b.ts", "c.ts");
  const history: CellVersion[] = [
    { version: 1, content: { type: "code", filename: "b.ts", source: "1" }, position: 1 },
  ];
  const changed = updateCell(notebook, "b.ts", { content: "2" });
  history.push(changed.written as CellVersion);
  const gone = deleteCell(applied(notebook, changed), "b.ts");
  history.push(gone.written as CellVersion);
  expect(names(gone)).toEqual(["a.ts", "c.ts"]);

  const back = restoreCell(applied(notebook, gone), "id-b.ts", history, undefined);
  expect(names(back)).toEqual(["a.ts", "b.ts", "c.ts"]);
  expect(back.cells[1]).toMatchObject({ version: 4, source: "2" });
  history.push(back.written as CellVersion);
  const first = restoreCell(applied(notebook, back), "id-b.ts", history, 1);
  expect(first.cells[1]).toMatchObject({ version: 5, source: "1" });
  expect(() => restoreCell(applied(notebook, back), "id-b.ts", history, 3)).toThrow("unknown_cell_version");
  expect(() => restoreCell(applied(notebook, back), "never", [], undefined)).toThrow("unknown_cell_version");
});

test("IDs and filenames stay distinct and versions complete, whatever changes are made", () => {
  type Step = {
    kind: "add" | "update" | "move" | "delete" | "restore";
    pick: number;
    place: number;
    type: number;
  };
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom("add", "add", "update", "move", "delete", "restore"),
    pick: fc.nat(20),
    place: fc.nat(8),
    type: fc.nat(cellTypes.length - 1),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let notebook = empty;
      const kept = new Map<string, CellVersion[]>();
      for (const [count, { kind, pick, place, type }] of steps.entries()) {
        const known = [...kept.keys()];
        const present = notebook.cells[pick % Math.max(1, notebook.cells.length)]?.id ?? "none";
        const ever = known[pick % Math.max(1, known.length)] ?? "none";
        let change: CellChange;
        try {
          if (kind === "add")
            change = addCell(
              notebook,
              `c${count}`,
              { type: cellTypes[type] ?? "code", content: "{}" },
              { position: place },
            );
          else if (kind === "update") change = updateCell(notebook, present, { content: '{"a":1}' });
          else if (kind === "move") change = moveCell(notebook, present, { position: place });
          else if (kind === "delete") change = deleteCell(notebook, present);
          else change = restoreCell(notebook, ever, kept.get(ever) ?? [], undefined);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: expect.stringMatching(/^(?:UNKNOWN_ID|CONFLICT)$/) });
          continue;
        }
        notebook = applied(notebook, change);
        if (change.written) kept.set(change.cellId, [...(kept.get(change.cellId) ?? []), change.written]);
      }
      const files = names(notebook).filter((name) => name !== undefined);
      expect(new Set(files).size).toBe(files.length);
      expect(new Set(notebook.cells.map(({ id }) => id)).size).toBe(notebook.cells.length);
      for (const [id, versions] of kept) {
        expect(versions.map(({ version }) => version)).toEqual(versions.map((_, index) => index + 1));
        const now = notebook.cells.find((cell) => cell.id === id);
        const newest = versions.at(-1)?.content;
        expect(now && textOf(now)).toBe(newest && textOf(newest));
      }
    }),
    { numRuns: 500, seed: 19 },
  );
});
