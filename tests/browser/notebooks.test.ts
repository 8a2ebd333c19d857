import { expect, test } from "vitest";
import { describeInBrowser, openObservatory, seriousFindings } from "./browser.testing.ts";

describeInBrowser("notebooks", (open) => {
  test("are listed, show what ran, and say what is stale", async () => {
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
    await cell.getByText("99").waitFor();
    await cell.getByText("<img src=x onerror=window.pwned=1>").first().waitFor();
    const drawn = cell.getByRole("img", { name: "Shown by the cell" });
    await drawn.waitFor();
    expect(await drawn.evaluate((image: any) => image.decode().then(() => image.naturalWidth))).toBe(400);
    await observatory.call("notebook.update_cell", { sessionId, notebookId, cellId, content: "33 * 4" });
    await page.reload();
    await cell.getByText("sum.js changed after this ran.").waitFor();
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
});
