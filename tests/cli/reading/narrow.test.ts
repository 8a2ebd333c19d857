import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { textWidth } from "../../../src/cli/rendering/width.ts";
import { runCommand } from "../../support/cli.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { prepareStore } from "../prepared-store.ts";

const columns = 36;

test.each([
  ["archive", "thoughtbox archive --before 2026-01-31 --check"],
  ["connect", "thoughtbox connect --capture=yes"],
  ["doctor", "thoughtbox connect --all"],
])("%s keeps the command it suggests on one line", async (typed, suggested) => {
  const dataDir = await prepareStore();
  mkdirSync(join(dirname(dataDir), ".cursor"));
  const { out, err } = await runCommand(typed, { dataDir, columns, errorIsTerminal: true });
  const lines = (out + err).split("\n").map((line) => line.trim().replace(/^→ /, ""));
  expect(lines).toContain(suggested);
  if (typed === "doctor") expect(out).toContain(`\n  → ${suggested}\n`);
});

test("search shortens the ID of a notebook, so that its title fits", async () => {
  const dataDir = join(tempDir(), "data");
  await runCommand(["notebook", "new", "A notebook about the pool of connections"], { dataDir });
  const { out } = await runCommand("search pool", { dataDir, columns });
  expect(out).toMatch(/^[0-9a-f]{8} {2}A notebook about/);
  expect(out.split("\n").filter((line) => textWidth(line) > columns)).toEqual([]);
});

test("the trash shows more of a title than of its kind", async () => {
  const dataDir = await prepareStore();
  await runCommand("rm 5e551022", { dataDir });
  const { out } = await runCommand("trash", { dataDir, columns });
  expect(out).toMatch(/^5e551022 {2}A migration plan…/m);
});

test("with several projects, ls shows the project rather than the status", async () => {
  const dataDir = join(tempDir(), "data");
  const think = (project: string) =>
    runCommand(
      ["call", "thought", `sessionTitle=Why are the invoices of ${project} late`, "thought=x"].concat([
        "--project",
        project,
      ]),
      { dataDir },
    );
  await think("payments-service");
  await think("checkout-service");
  const { out } = await runCommand("ls", { dataDir, columns: 72 });
  expect(out).toContain("payments-service");
  expect(out).not.toContain("status");
});

const tooWide = (out: string) => out.split("\n").filter((line) => textWidth(line) > columns);

test("watch shortens the name of a branch", async () => {
  const dataDir = join(tempDir(), "data");
  await runCommand(["call", "thought", "thought=x"], { dataDir });
  const branchId = "the-name-of-this-branch-is-as-long-as-a-name-can-be";
  const { out: ids } = await runCommand("ls -q", { dataDir });
  const call = ["call", "thought", `sessionId=${ids.trim()}`, "thought=y", `branchId=${branchId}`];
  await runCommand([...call, "branchFromThought=1"], { dataDir });
  const { out } = await runCommand("watch -n 1", { dataDir, columns, stop: AbortSignal.abort() });
  expect(out).toMatch(/^the-name-of-this-bra.*… \d+ {2}\d\d:\d\d:\d\d$/m);
  expect(tooWide(out)).toEqual([]);
});

test("a note with a long ID is listed on two lines, and its hit too", async () => {
  const dataDir = join(tempDir(), "data");
  const fields = { title: "Look at the pool before the query", description: "A slow query waits." };
  const words = Object.entries({ ...fields, content: "x" }).map(([name, value]) => `${name}=${value}`);
  await runCommand(["call", "knowledge.create_pattern", ...words], { dataDir });
  const listed = await runCommand("knowledge", { dataDir, columns });
  expect(listed.out).toBe("look-at-the-pool-before-the-query\n  A slow query waits.  now\n");
  const { out } = await runCommand("search pool", { dataDir, columns });
  expect(out).toMatch(/^look-at-the-pool-before-the-query\n {2}Look at the pool before the query\n/);
});
