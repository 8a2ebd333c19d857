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
    // A branch in one workspace means nothing in another.
    await page.getByRole("button", { name: "try" }).click();
    await page.locator(".board h2", { hasText: "try" }).waitFor();
    await picker.selectOption("shop");
    await page.locator(".board").getByText("In shop").waitFor();
    expect(new URL(page.url()).hash).toBe("#/m/shop");
    expect(page.problems).toEqual([]);
  });

  test.each([1440, 390])("at %i px, a signal's call is copied from inside the panel", async (width) => {
    const observatory = await openMemory("shop");
    const page = await open(`${observatory.url}/#/m/shop?view=cards`, {
      viewport: { width, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
      reducedMotion: "reduce",
    });
    const row = page.locator(".sig", { hasText: "In shop" }).first();
    const button = row.getByRole("button", { name: "Copy call" });
    await button.scrollIntoViewIfNeeded();
    const [inner, outer] = [await button.boundingBox(), await row.boundingBox()];
    if (!inner || !outer) throw new Error("nothing is drawn");
    expect(inner.x).toBeGreaterThanOrEqual(outer.x);
    expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
    expect(outer.x + outer.width).toBeLessThanOrEqual(width);
    await button.click();
    const copied = JSON.parse(await page.evaluate("navigator.clipboard.readText()"));
    expect(await observatory.call(copied.operation, copied.args)).toBeDefined();
  });

  test("that is empty says where there is some", async () => {
    const observatory = await openMemory("shop");
    const page = await open(`${observatory.url}/#/m/nowhere`, { viewport: { width: 400, height: 800 } });
    await page.getByText("There is memory in shop.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "shop" }).click();
    await page.locator(".board").getByText("In shop").waitFor();
  });

  test("shows a plan as a board, and the conflicts of every branch beside it", async () => {
    const observatory = await openObservatory();
    const { call } = observatory;
    await call("init", {});
    await call("tasks_create", { title: "Nobody pays twice" });
    for (const title of ["Key per shipment", "Second gateway", "Alert", "List them"])
      await call("tasks_create", { parent: "PLAN-001", title, steps: [{ title: `Step of ${title}` }] });
    await call("tasks_step_lease_claim", { target: "TASK-001", path: "s:0", agent_id: "codex" });
    await call("tasks_define", { target: "TASK-002", path: "s:0", blockers: ["Nobody has asked them."] });
    await call("tasks_done", { target: "TASK-004", path: "s:0" });
    await call("tasks_complete", { target: "TASK-004", status: "DONE" });
    const note = { op: "node_upsert", type: "note", title: "Asked the bank", status: "open", id: "n1" };
    const outcome = { ...note, type: "decision", title: "Thirty-seven of them", id: "n2" };
    await call("graph_apply", { target: "TASK-004", ops: [outcome, note] });
    await call("branch_create", { name: "one" });
    const node = (title: string) => ({ op: "node_upsert", id: "n", type: "decision", title, status: "open" });
    await call("graph_apply", { branch: "one", ops: [node("base")] });
    await call("branch_create", { name: "two", from: "one" });
    await call("graph_apply", { branch: "two", ops: [node("theirs")] });
    await call("graph_apply", { branch: "one", ops: [node("ours")] });
    await call("graph_merge", { from: "two", into: "one" });
    await call("notes_commit", { content: "Ask before a migration" });
    const page = await open(`${observatory.url}/#/m`, { reducedMotion: "reduce" });
    const column = (name: string) => page.getByRole("region", { name, exact: true });
    await column("In progress").getByText("Codex").waitFor();
    await column("In progress").getByText("lease 30 min").waitFor();
    await column("Done").getByText("Thirty-seven of them").waitFor();
    await column("Blocked").getByText("Nobody has asked them.").waitFor();
    await column("Ready").getByText("Alert").waitFor();
    await column("Done").getByText("List them").waitFor();
    await page.getByText("Ask before a migration").waitFor();
    await page.locator(".brs", { hasText: "two" }).getByText("1 conflict").waitFor();
    await page.locator(".cfl", { hasText: "two → one" }).click();
    await page.getByRole("button", { name: "Keep ours: copy the call" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: /Key per shipment/ }).click();
    await page.getByRole("region", { name: "Steps of TASK-001" }).getByText("held by Codex").waitFor();
    await expect.poll(() => new URL(page.url()).hash).toContain("TASK-001");
    await page.setViewportSize({ width: 390, height: 800 });
    await column("Ready").getByRole("button", { name: "Ready 1", exact: true }).click();
    expect(await column("Ready").getByText("Alert").count()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.clock.install({ time: Date.now() + 95 * 60_000 });
    await page.reload();
    await column("In progress").getByText("lease ended 1 h ago").waitFor();
    expect(page.problems).toEqual([]);
  });
});
