import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { describeInBrowser, openObservatory, seriousFindings } from "./browser.testing.ts";

describeInBrowser("notebooks", (open) => {
  test("are listed, and show what ran and what is stale", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Sums" });
    const { notebookId } = await observatory.call("notebook.create", { sessionId, name: "Sums <b>here</b>" });
    const { cellId } = await observatory.call("notebook.add_cell", {
      ...{ sessionId, notebookId, type: "code", filename: "sum.js" },
      content: `display({ mime: "text/html", data: "<img src=x onerror=window.pwned=1>" });
        const svg = plot([1, 4, 9], { width: 400, height: 200 });
        display({ mime: "image/svg+xml", data: svg.replace("</svg>", "<script>top.pwned=1</script></svg>") });
        33 * 3`,
    });
    await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId });
    const page = await open(`${observatory.url}/#/n`, { reducedMotion: "reduce" });
    await page.getByRole("heading", { name: "Sums <b>here</b>" }).first().waitFor();
    const cell = page.locator(`#cell-${cellId}`);
    await cell.getByText("99", { exact: true }).waitFor();
    await cell.getByText("<img src=x onerror=window.pwned=1>").first().waitFor();
    const drawn = cell.getByRole("img", { name: "Plot of lines. 3 points, lowest 1 at 0, highest 9 at 2" });
    await drawn.waitFor();
    expect(await drawn.evaluate((image: any) => image.decode().then(() => image.naturalWidth))).toBe(400);
    await observatory.call("notebook.update_cell", { sessionId, notebookId, cellId, content: "33 * 4" });
    await page.reload();
    await cell.getByText("This cell changed after it ran.").waitFor();
    await page.locator(".nrow", { hasText: "1 stale" }).waitFor();
    await cell.getByRole("link", { name: "sum.js" }).click();
    await page.getByRole("complementary", { name: "Cell" }).getByText("Version 2").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(page.problems).toEqual([]);
  });

  test("show arrays of objects as tables, and which cells use each other", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Misses" });
    const { notebookId } = await observatory.call("notebook.create", { sessionId, name: "Misses" });
    const add = async (filename: string, content: string) => {
      const cell = { sessionId, notebookId, type: "code", filename, content };
      const { cellId } = await observatory.call("notebook.add_cell", cell);
      await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId });
      return cellId;
    };
    const rows = await add(
      "rows.js",
      `export const rows = Array.from({ length: 102 }, (_, n) => ({ words: "<i>" + n, missed: n }));
        for (let n = 0; n < 50; n++) console.log("line", n);
        rows`,
    );
    const shown = await add(
      "shown.js",
      'import { rows } from "./rows.js"; display({ mime: "application/json", data: rows.slice(0, 2) });',
    );
    await observatory.call("notebook.update_cell", {
      ...{ sessionId, notebookId, cellId: rows },
      content: "export const rows = [];",
    });
    const page = await open(`${observatory.url}/#/n/${notebookId}/${rows}`, { reducedMotion: "reduce" });
    const cell = page.locator(`#cell-${rows}`);
    await cell.getByRole("columnheader", { name: "missed" }).waitFor();
    expect(await cell.locator("tbody tr").count()).toBe(100);
    await cell.getByRole("button", { name: "2 more" }).click();
    expect(await cell.locator("tbody tr").last().textContent()).toBe("<i>101101");
    await cell.getByRole("button", { name: "Show all 50 lines" }).click();
    await cell.getByText("line 49").waitFor();
    expect(await page.locator(`#cell-${shown} tbody tr`).count()).toBe(2);
    const panel = page.getByRole("complementary", { name: "Cell" });
    await panel.locator("section", { hasText: "Used by" }).getByText("stale").waitFor();
    await panel.getByRole("link", { name: "shown.js" }).click();
    await panel.locator("section", { hasText: "Uses" }).getByRole("link", { name: "rows.js" }).waitFor();
    await page.getByRole("link", { name: "Notebooks 1" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("list runs by version, with the changes in each version and the thought that recorded a run", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Sums" });
    await observatory.think(sessionId, "S1|H|Three times is enough");
    const { notebookId } = await observatory.call("notebook.create", { sessionId, name: "Sums" });
    const { cellId } = await observatory.call("notebook.add_cell", {
      ...{ sessionId, notebookId, type: "code", filename: "sum.js", content: "const n = 2;\n33 * n" },
    });
    const recordAs = { sessionId, type: "E", references: [1] };
    await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId, recordAs });
    const change = (content: string) =>
      observatory.call("notebook.update_cell", { sessionId, notebookId, cellId, content });
    await change("const n = 3;\n33 * n");
    await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId });
    await change('throw new Error("n is missing");');
    await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId });
    const page = await open(`${observatory.url}/#/n/${notebookId}`, {
      reducedMotion: "reduce",
      acceptDownloads: true,
    });
    const cell = page.locator(`#cell-${cellId}`);
    await cell.getByText("failed, exit 1").waitFor();
    await page.keyboard.press("j");
    const panel = page.getByRole("complementary", { name: "Cell" });
    await panel.getByText("3 versions, 3 runs").waitFor();
    await panel.getByText("failed, exit 1: Error: n is missing").waitFor();
    const changed = panel.getByRole("group", { name: "Changed lines" });
    expect(await changed.textContent()).toContain('+throw new Error("n is missing");');
    const hash = () => new URL(page.url()).hash;
    await page.keyboard.press("[");
    await expect.poll(hash).toBe(`#/n/${notebookId}/${cellId}?v=2`);
    await cell.getByText("Version 2 of 3").waitFor();
    await cell.getByText("99", { exact: true }).waitFor();
    await page.keyboard.press("[");
    await cell.getByText("66").first().waitFor();
    expect(await cell.locator("pre").first().textContent()).toContain("const n = 2;");
    await page.keyboard.press("[");
    await expect.poll(hash).toBe(`#/n/${notebookId}/${cellId}?v=1`);
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(hash).toBe(`#/s/${sessionId}/2`);
    const thought = page.getByRole("complementary", { name: "Thought" });
    await thought.getByRole("link", { name: "sum.js" }).click();
    await expect.poll(hash).toMatch(new RegExp(`^#/n/${notebookId}/${cellId}\\?v=1&run=\\d+$`));
    await cell.getByText("Version 1 of 3").waitFor();
    await cell.getByRole("link", { name: "Show newest" }).click();
    await expect.poll(hash).toBe(`#/n/${notebookId}/${cellId}`);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe("sums.src.md");
    expect(readFileSync(await saved.path(), "utf8")).toContain('throw new Error("n is missing");');
    expect(page.problems).toEqual([]);
  });

  test("show that a cell is stale and why, that its server stopped, and that it took too long", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "States" });
    const { notebookId } = await observatory.call("notebook.create", { sessionId, name: "States" });
    const add = async (filename: string, content: string): Promise<string> => {
      const cell = { sessionId, notebookId, type: "code", filename, content };
      return (await observatory.call("notebook.add_cell", cell)).cellId;
    };
    const base = await add("base.js", "export const n = 1;");
    const user = await add("user.js", 'import { n } from "./base.js"; n');
    const slow = await add("slow.js", "await new Promise(() => setInterval(() => {}, 1_000));");
    const stopped = await add("stopped.js", "1");
    const never = await add("never.js", "2");
    await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId: user });
    await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId: slow, timeoutMs: 1_000 });
    await observatory.call("notebook.update_cell", {
      ...{ sessionId, notebookId, cellId: base, content: "export const n = 2;" },
    });
    const began = Date.now() - 20 * 60_000;
    const store = createSqliteStore({ kind: "directory", path: observatory.dataDir }, () => new Date());
    const run = {
      notebookId,
      cellId: stopped,
      version: 1,
      at: began,
      expiresAt: began + 6 * 60_000 + 15_000,
    };
    await store.notebooks.beginRun(run);
    await store.close();
    const page = await open(`${observatory.url}/#/n/${notebookId}`, { reducedMotion: "reduce" });
    const cell = (id: string) => page.locator(`#cell-${id}`);
    await cell(user).getByText("base.js changed after this run.").waitFor();
    await cell(user).getByRole("button", { name: "Copy rerun call" }).waitFor();
    await cell(slow).getByText("timed out").waitFor();
    await cell(stopped).getByText("after 6 min.").waitFor();
    await cell(never).getByText("not run").waitFor();
    await page.locator(".nrow", { hasText: "1 interrupted" }).getByText("1 stale").waitFor();
    expect(await page.getByText("package.json").count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("scroll to the cell that a link names, above the sheet on a phone, until the reader scrolls", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Plots" });
    const { notebookId } = await observatory.call("notebook.create", { sessionId, name: "Plots" });
    const add = async (filename: string, content: string): Promise<string> => {
      const cell = { sessionId, notebookId, type: "code", filename, content };
      const { cellId } = await observatory.call("notebook.add_cell", cell);
      await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId });
      return cellId;
    };
    const plot = 'display({ mime: "image/svg+xml", data: plot([1, 4, 9], { width: 400, height: 600 }) });';
    await add("first.js", plot);
    await add("second.js", plot);
    const quiet = await add("quiet.js", "export const n = 1;");
    const last = await add("last.js", "33 * 3");
    const address = `${observatory.url}/#/n/${notebookId}/${last}`;
    const page = await open(address, { reducedMotion: "reduce" });
    const bottomOf = async (place: string) => {
      const box = await page.locator(place).boundingBox();
      return box ? box.y + box.height : Number.NaN;
    };
    const isWithin = async () => (await bottomOf(`#cell-${last}`)) <= (await bottomOf(".cells"));
    await page.locator("img").nth(1).waitFor();
    await expect.poll(isWithin).toBe(true);
    expect(await page.evaluate("document.querySelector('.cells').scrollTop")).toBeGreaterThan(300);
    const nothing = await page.locator(`#cell-${quiet} .nothing`).boundingBox();
    expect(nothing?.y).toBeGreaterThanOrEqual(await bottomOf(`#cell-${quiet} pre`));
    await page.locator(".cells").hover();
    await page.mouse.wheel(0, -4_000);
    await expect.poll(() => page.evaluate("document.querySelector('.cells').scrollTop")).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.reload();
    await page.locator("img").nth(1).waitFor();
    await expect.poll(isWithin).toBe(true);
    expect(await bottomOf(".cells")).toBeLessThanOrEqual(
      (await page.locator(".detail").boundingBox())?.y ?? 0,
    );
    expect(await bottomOf(".detail")).toBeLessThanOrEqual(
      (await page.locator(".tabs").boundingBox())?.y ?? 0,
    );
  });

  test("show the same time for a running cell in its header and in the panel", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Slow" });
    const { notebookId } = await observatory.call("notebook.create", { sessionId, name: "Slow" });
    const { cellId } = await observatory.call("notebook.add_cell", {
      ...{ sessionId, notebookId, type: "code", filename: "slow.js" },
      content: "await new Promise(() => setInterval(() => {}, 1_000));",
    });
    const running = observatory.call("notebook.run_cell", {
      ...{ sessionId, notebookId, cellId, timeoutMs: 7_000 },
    });
    const page = await open(`${observatory.url}/#/n/${notebookId}/${cellId}`, { reducedMotion: "reduce" });
    await page.locator(".rn", { hasText: /running \d s/ }).waitFor();
    const read = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.chd .state, .rn .ell')].map((one) => one.textContent)",
      );
    const agreed = new Set<string>();
    const readBoth = async () => {
      const [head = "", panel] = await read();
      if (panel === head) agreed.add(head);
      return agreed.size;
    };
    await expect.poll(readBoth, { timeout: 10_000 }).toBeGreaterThan(3);
    await running;
  });

  test("state that there are none yet, or that one was not found", async () => {
    const observatory = await openObservatory();
    const page = await open(`${observatory.url}/#/n`, { reducedMotion: "reduce" });
    await page.getByText("No notebooks yet").waitFor();
    await page.goto(`${observatory.url}/#/n/00000000-0000-4000-8000-000000000000`);
    await page.getByText("Notebook not found").waitFor();
    await page.getByRole("link", { name: "All notebooks" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });
});
