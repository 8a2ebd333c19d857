import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import {
  brokenRule,
  type Dice,
  type LayoutCode,
  STYLES,
  writeLedger,
} from "../../ui/model/layout/layout-rules.testing.ts";
import fc from "../support/fast-check.ts";

const model = join(import.meta.dirname, "..", "..", "ui", "model", "layout");

/** Returns the layout's code with one passage replaced. */
async function mutate(file: string, from: string, to: string): Promise<LayoutCode> {
  const source = readFileSync(join(model, file), "utf8");
  expect(source.split(from).length, `${file} says once: ${from}`).toBe(2);
  const { outputFiles } = await build({
    stdin: {
      contents: 'export * from "./layout.ts"; export * from "./routes.ts";',
      resolveDir: model,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    plugins: [
      {
        name: "mutate",
        setup({ onLoad }) {
          onLoad({ filter: new RegExp(`/${file}$`) }, () => ({
            contents: source.replace(from, () => to),
            loader: "ts",
          }));
        },
      },
    ],
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? "").toString("base64");
  return import(`data:text/javascript;base64,${code}`) as Promise<LayoutCode>;
}

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const dice: fc.Arbitrary<Dice> = fc.record({
  fork: chance,
  ancient: chance,
  jump: chance,
  pick: chance,
  reject: chance,
});
const rolls = fc.sample(fc.array(dice, { minLength: 60, maxLength: 200, size: "max" }), {
  seed: 1729,
  numRuns: 6,
});
const sessions = STYLES.flatMap((style) => rolls.map((roll) => writeLedger(roll, style)));

function firstBroken(code: LayoutCode): string | undefined {
  for (const columns of sessions)
    for (const options of [
      { columns: 10, across: 4 },
      { columns: 5, across: 1 },
    ]) {
      const broken = brokenRule(code, columns, options);
      if (broken) return broken;
    }
  return undefined;
}

test("the layout itself breaks no rule", async () => {
  expect(
    firstBroken(await mutate("layout.ts", "cells.shown[i] = 1;", "cells.shown[i] = 1; ")),
  ).toBeUndefined();
});

test.each([
  ["share a lane that is not free", "bands.ts", "if (taken + 1 >= column) return false;", ""],
  [
    "place a thought left of its parent",
    "bands.ts",
    "if (isHere && column <= parentColumn) return NONE;",
    "",
  ],
  ["never start a new page", "bands.ts", "page += 1;\n    top = 0;", ""],
  [
    "grow a band past the page",
    "bands.ts",
    "bottomAt(geometry, bands.top[band] as number, count + 1) > pageRows",
    "false",
  ],
  [
    "add lanes to an old band",
    "bands.ts",
    "const last = bands.size - 1;",
    "const last = Math.max(0, bands.size - 2);",
  ],
  [
    "move a card when the session grows",
    "layout.ts",
    "cells.shown[i] = 1;",
    "cells.shown[i] = 1; if (i === 40) cells.y[3] = (cells.y[3] as number) + 0.005;",
  ],
  ["stack pages without their height", "layout.ts", "(before?.y ?? 0) + used", "(before?.y ?? 0) + 400"],
  ["run a fork's line through a card", "routes.ts", "const gap = toX - g.gapX + 7", "const gap = toX + 7"],
])("the rules detect a layout that would %s", async (_what, file, from, to) => {
  expect(firstBroken(await mutate(file, from, to))).toBeDefined();
});
