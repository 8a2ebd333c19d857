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
});
