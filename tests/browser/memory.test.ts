import { expect, test } from "vitest";
import { describeInBrowser, openObservatory, seriousFindings } from "./browser.testing.ts";

describeInBrowser("the memory", (open) => {
  async function openMemory(...workspaces: string[]) {
    const observatory = await openObservatory();
    for (const workspace of workspaces)
      await observatory.call("think_card", {
        workspace,
        card: { type: "hypothesis", title: `In ${workspace}` },
      });
    return observatory;
  }

  test("opens where something was written last while the server's own workspace is unused, and stays there", async () => {
    const observatory = await openMemory("shop", "thoughtbox");
    await observatory.call("think_card", { workspace: "thoughtbox", card: { type: "note", title: "Noted" } });
    await observatory.call("branch_create", { workspace: "thoughtbox", name: "try" });
    const page = await open(`${observatory.url}/#/m`);
    await page.locator(".board").getByText("In thoughtbox").waitFor();
    const picker = page.getByRole("combobox", { name: "Workspace" });
    expect(await picker.locator("option").allTextContents()).toEqual(["thoughtbox", "shop", "default"]);
    await observatory.call("think_card", { workspace: "shop", card: { type: "test", title: "Later" } });
    await expect
      .poll(() => picker.locator("option").allTextContents(), { timeout: 10_000 })
      .toEqual(["shop", "thoughtbox", "default"]);
    expect(await picker.inputValue()).toBe("thoughtbox");
    await page.getByTitle("Questions, notes and updates").waitFor();
    await page.locator("[data-card]").first().click();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/m/thoughtbox/CARD-1");
    // A branch of one workspace is nothing to another.
    await page.getByRole("button", { name: "try" }).click();
    await page.locator(".board h2", { hasText: "try" }).waitFor();
    await picker.selectOption("shop");
    await page.locator(".board").getByText("In shop").waitFor();
    expect(new URL(page.url()).hash).toBe("#/m/shop");
    expect(page.problems).toEqual([]);
  });

  test("that is empty says where there is some", async () => {
    const observatory = await openMemory("shop");
    const page = await open(`${observatory.url}/#/m/nowhere`, { viewport: { width: 400, height: 800 } });
    await page.getByText("There is memory in shop.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "shop" }).click();
    await page.locator(".board").getByText("In shop").waitFor();
  });
});
