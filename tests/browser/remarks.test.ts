import { expect, test } from "vitest";
import { describeInBrowser, openObservatory, seriousFindings, thinkAboutReports } from "./browser.testing.ts";

describeInBrowser("comments and stars", (open) => {
  test("can be added by key and by button, survive a reload, and reach the agent", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const page = await open(observatory.at(sessionId, "/3?view=outline"), { reducedMotion: "reduce" });
    await page.locator(".dh h2", { hasText: "Hypothesis 3" }).waitFor();
    await page.keyboard.press("*");
    await page.locator(".ib.starred").waitFor();
    await page.keyboard.press("C");
    await page.getByRole("textbox", { name: "Comment" }).fill("Ask Ada: **she** built <b>the</b> index.");
    await page.keyboard.press("Control+Enter");
    await page.locator(".remark", { hasText: "Ask Ada: she built <b>the</b> index." }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const { remarks } = await observatory.call("load_context", { sessionId });
    expect(remarks).toMatchObject([{ thoughtNumber: 3, starredAt: expect.any(String), comments: [{}] }]);

    await page.reload();
    await page.locator(".or.sel .star").waitFor();
    await page.locator(".remark").getByRole("button", { name: "Withdraw" }).click();
    await page.locator(".remark").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Star", exact: true }).click();
    await page.locator(".ib.starred").waitFor({ state: "detached" });
    await expect
      .poll(async () => (await observatory.call("load_context", { sessionId })).remarks)
      .toBeUndefined();
    expect(page.problems).toEqual([]);
  });

  test("appear in an open page when another client adds them, and cannot be added to the sample", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const page = await open(observatory.at(sessionId, "/3?view=outline"), { reducedMotion: "reduce" });
    await page.locator(".dh h2", { hasText: "Hypothesis 3" }).waitFor();
    await observatory.call("remark", { sessionId, thoughtNumber: 3, comment: "From elsewhere." });
    await page.locator(".remark", { hasText: "From elsewhere." }).waitFor();
    await page.goto(observatory.at("sample", "/3"));
    await page.locator(".dh h2").waitFor();
    expect(await page.getByRole("button", { name: "Star", exact: true }).count()).toBe(0);
  });
});
