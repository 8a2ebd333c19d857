import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { textWidth } from "../../src/cli/rendering/width.ts";
import { runCommand } from "../support/cli.ts";
import { later, longBranch, prepareStore } from "./prepared-store.ts";

const esc = String.fromCharCode(27);
const ansi = new RegExp(`${esc}\\[\\d+m`, "g");
const acting = new RegExp(`[${esc}\u202e]`);
const widths = [36, 80, 200];
const pictures = [
  "ls",
  "show 5e551011",
  "read 5e551011 --last 2",
  `read 5e551011 --branch ${longBranch}`,
  "search resolver pool",
  "search what if the kernel closes them",
  "analyze latest",
  "models",
  "models five-whys",
  "knowledge",
  "knowledge check-the-pool",
  "verify --all",
  "help",
  "help ls",
  "help doctor",
  "help connect",
  "connect",
];

/** A person reviews every change: `npx vitest run tests/cli -u`, then git diff. */
describe.each(widths)("at %i columns", (columns) => {
  test.each(pictures)("thoughtbox %s", async (line) => {
    const dataDir = await prepareStore();
    const { code, out, err } = await runCommand(line, { dataDir, columns, now: later });
    expect(code, err).toBe(0);
    // A command stays whole, so that a person can copy it.
    const lines = out.split("\n").filter((shown) => !/^ *thoughtbox [a-z]/.test(shown));
    const widest = Math.max(...lines.map(textWidth));
    expect(widest, "no line is wider than the terminal").toBeLessThanOrEqual(columns);
    const name = `${line.replace(/[^a-z0-9]+/g, "-")}.${columns}.txt`;
    await expect(out).toMatchFileSnapshot(join("pictures", name));
  });
});

describe("colour", () => {
  test.each(pictures)("thoughtbox %s prints the same text with and without colour", async (line) => {
    const dataDir = await prepareStore();
    const plain = await runCommand(line, { dataDir, now: later });
    const coloured = await runCommand(line, { dataDir, now: later, coloured: true });
    expect(plain.out).not.toContain("\u001b");
    expect(coloured.out).toContain("\u001b[");
    const bare = coloured.out.replace(ansi, "");
    // Without colour, matches are in «…».
    expect(bare).toBe(line.startsWith("search") ? plain.out.replace(/[«»]/g, "") : plain.out);
  });

  test("stored text cannot control the terminal", async () => {
    const dataDir = await prepareStore();
    for (const line of ["show latest", "read latest --last 3", "search escape"]) {
      const { out } = await runCommand(line, { dataDir });
      expect(out).toContain("\\u{1b}[31m");
      expect(out).not.toMatch(acting);
    }
  });
});
