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

  test("opens the last written workspace if the server's own is unused, and stays there", async () => {
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

  test.each([1440, 390])(
    "fits the button for a signal's call into the panel and copies the call, at %i px",
    async (width) => {
      const observatory = await openMemory("shop");
      const page = await open(`${observatory.url}/#/m/shop?view=cards`, {
        viewport: { width, height: 800 },
        permissions: ["clipboard-read", "clipboard-write"],
        reducedMotion: "reduce",
      });
      const views = await page.getByRole("button", { name: "Notes", exact: true }).boundingBox();
      expect((views?.x ?? width) + (views?.width ?? 0)).toBeLessThanOrEqual(width);
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
    },
  );

  test("names the workspaces in use if the chosen one is empty", async () => {
    const observatory = await openMemory("shop");
    const page = await open(`${observatory.url}/#/m/nowhere`, { viewport: { width: 400, height: 800 } });
    await page.getByText("Workspaces in use: shop.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "shop" }).click();
    await page.locator(".board").getByText("In shop").waitFor();
  });

  test("shows a plan as a board, with the conflicts of every branch beside it", async () => {
    const observatory = await openObservatory();
    const { call } = observatory;
    await call("init", {});
    await call("tasks_create", { title: "Nobody pays twice" });
    for (const title of ["Key per shipment", "Second gateway", "Alert", "List them"])
      await call("tasks_create", { parent: "PLAN-001", title, steps: [{ title: `Step of ${title}` }] });
    await call("tasks_step_lease_claim", { target: "TASK-001", path: "s:0", agent_id: "codex" });
    const { sessionId } = await call("start_new", { sessionTitle: "Second gateway" });
    await observatory.think(sessionId, "S1|Q|Does it keep keys for 24 h?");
    const blockers = [`Nobody has asked them (${sessionId}:1).`];
    await call("tasks_define", { target: "TASK-002", path: "s:0", blockers });
    await call("tasks_done", { target: "TASK-004", path: "s:0", agent_id: "claude-code" });
    await call("tasks_complete", { target: "TASK-004", status: "DONE", agent_id: "claude-code" });
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
    await call("branch_create", { name: "three", from: "task/TASK-004" });
    await call("notes_commit", { title: "Migrations", content: "Migrations\n\nAsk before a migration" });
    await call("notes_commit", { content: "Only on this branch", branch: "two" });
    const page = await open(`${observatory.url}/#/m`, { reducedMotion: "reduce" });
    const column = (name: string) => page.getByRole("region", { name, exact: true });
    await column("In progress").getByText("Codex").waitFor();
    await column("In progress").getByText("lease 30 min").waitFor();
    await column("Done").getByText("Thirty-seven of them").waitFor();
    await column("Blocked").getByText("Nobody has asked them.").waitFor();
    await column("Blocked").getByText("at step Step of Second gateway").waitFor();
    const said = page.getByRole("link", { name: "said in thought 1" });
    expect(await column("Blocked").locator(said).getAttribute("href")).toBe(`#/s/${sessionId}/1`);
    await column("Done").getByText("Claude Code").waitFor();
    await column("Ready").getByText("Alert").waitFor();
    await column("Done").getByText("List them").waitFor();
    const beside = page.getByRole("complementary", { name: "Conflicts, notes and decisions" });
    await beside.getByText("Ask before a migration").waitFor();
    expect(await beside.getByText("Migrations").count()).toBe(1);
    await beside.getByText("Only on this branch").waitFor();
    await beside.getByText("on two").waitFor();
    await page.getByRole("button", { name: "Notes 2" }).waitFor();
    await page.locator(".brs", { hasText: "two" }).getByText("1 conflict").waitFor();
    await page.locator(".brs button", { hasText: "two" }).click();
    await page.locator(".conflicts", { hasText: "two → one" }).waitFor();
    expect(await page.getByText("No merge conflicts on two").count()).toBe(0);
    await page.getByRole("button", { name: "three 2 cards" }).click();
    await page.locator("#main").getByText("Thirty-seven of them").waitFor();
    await page.getByRole("button", { name: "Board", exact: true }).click();
    await page.getByRole("button", { name: "Cards", exact: true }).click();
    await page.getByRole("link", { name: "1 merge conflict on other branches" }).click();
    await beside.waitFor();
    await page.locator(".cfl", { hasText: "two → one" }).click();
    await page.getByRole("button", { name: "Keep ours: copy the call" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: /List them/ }).click();
    await page
      .getByRole("complementary", { name: "Task TASK-004" })
      .getByText("Done by Claude Code")
      .waitFor();
    await page.getByRole("button", { name: /Key per shipment/ }).click();
    const panel = page.getByRole("complementary", { name: "Task TASK-001" });
    await panel.getByText("held by Codex").waitFor();
    await expect.poll(() => new URL(page.url()).hash).toContain("TASK-001");
    await page.setViewportSize({ width: 390, height: 800 });
    await column("Ready").getByRole("button", { name: "Ready 1", exact: true }).click();
    expect(await column("Ready").getByText("Alert").count()).toBe(0);
    await column("Ready").getByRole("button", { expanded: false }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.clock.install({ time: Date.now() + 95 * 60_000 });
    await page.reload();
    await column("In progress").getByText("lease ended 1 h ago").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("names each conflict of a branch", async () => {
    const observatory = await openObservatory({ env: { THOUGHTBOX_WORKSPACE: "shop" } });
    const { call } = observatory;
    await call("init", {});
    const decide = (branch: string, title: string) =>
      call("graph_apply", {
        branch,
        ops: ["n", "m"].map((id) => ({ op: "node_upsert", id, type: "decision", title, status: "open" })),
      });
    await call("branch_create", { name: "one" });
    await decide("one", "base");
    await call("branch_create", { name: "two", from: "one" });
    await decide("two", "theirs");
    await decide("one", "ours");
    await call("graph_merge", { from: "two", into: "one" });
    const page = await open(`${observatory.url}/#/m?view=cards`, { reducedMotion: "reduce" });
    await page.locator(".brs button", { hasText: "one" }).click();
    const headings = page.locator(".conflicts h2");
    await headings.nth(1).waitFor();
    expect(await headings.allTextContents()).toEqual(["2 merge conflicts", expect.stringMatching(/^[nm]$/)]);
  });

  test("leaves a task that moves in its column until the user asks", async () => {
    const observatory = await openObservatory();
    const { call } = observatory;
    await call("init", {});
    await call("tasks_create", { title: "Nobody pays twice" });
    for (const title of ["One", "Two"])
      await call("tasks_create", { parent: "PLAN-001", title, steps: [{ title: `Step of ${title}` }] });
    const page = await open(`${observatory.url}/#/m`, { reducedMotion: "reduce" });
    const idsIn = (name: string) =>
      page.getByRole("region", { name, exact: true }).locator(".kt .h .num").allTextContents();
    await page.locator(".kt", { hasText: "TASK-002" }).waitFor();
    await call("tasks_done", { target: "TASK-001", path: "s:0" });
    await call("tasks_complete", { target: "TASK-001", status: "DONE" });
    await call("tasks_create", { parent: "PLAN-001", title: "Three" });
    const pill = page.getByRole("button", { name: "2 tasks changed · Show" });
    await pill.waitFor({ timeout: 15_000 });
    expect(await idsIn("Ready")).toEqual(["TASK-001", "TASK-002"]);
    expect(await idsIn("Done")).toEqual([]);
    await page.getByText("1 of 3 done").waitFor();
    await pill.click();
    expect(await idsIn("Ready")).toEqual(["TASK-002", "TASK-003"]);
    expect(await idsIn("Done")).toEqual(["TASK-001"]);
    expect(await pill.count()).toBe(0);
    expect(page.problems).toEqual([]);
  });

  test("shows the current state of another workspace's board", async () => {
    const observatory = await openObservatory();
    const { call } = observatory;
    for (const workspace of ["shop", "bank"]) {
      await call("tasks_create", { workspace, title: `Plan of ${workspace}` });
      await call("tasks_create", { workspace, parent: "PLAN-001", title: `Task of ${workspace}` });
    }
    await call("tasks_complete", { workspace: "bank", target: "TASK-001", status: "DONE" });
    const page = await open(`${observatory.url}/#/m/shop`, { reducedMotion: "reduce" });
    const column = (name: string) => page.getByRole("region", { name, exact: true });
    await column("Ready").getByText("Task of shop").waitFor();
    await page.getByRole("combobox", { name: "Workspace" }).selectOption("bank");
    await column("Done").getByText("Task of bank").waitFor();
    expect(await page.getByRole("button", { name: /changed · Show/ }).count()).toBe(0);
    expect(page.problems).toEqual([]);
  });

  test("can be used with the keyboard, and an open task shows its steps, cards and thoughts", async () => {
    const observatory = await openObservatory();
    const { call, think } = observatory;
    const { sessionId } = await call("start_new", { sessionTitle: "Keys" });
    await think(sessionId, "S1|E|An order ships in parts");
    await call("init", {});
    await call("tasks_create", { title: "Nobody pays twice" });
    for (const title of ["One", "Two", "Three"])
      await call("tasks_create", { parent: "PLAN-001", title, steps: [{ title: `Step of ${title}` }] });
    await call("tasks_step_lease_claim", { target: "TASK-003", path: "s:0", agent_id: "codex" });
    const card = (id: string, type: string, title: string, more: object = {}) => ({
      ...{ op: "node_upsert", id, type, title, status: "open", ...more },
    });
    const thought = `${sessionId}:1`;
    const found = card("CARD-1", "evidence", "It ships in parts", { meta: { thought } });
    await call("graph_apply", { target: "TASK-003", ops: [found] });
    const rule = card("CARD-2", "note", "Ask before a migration", { tags: ["pinned"], meta: { thought } });
    await call("graph_apply", { branch: "main", ops: [rule] });
    const page = await open(`${observatory.url}/#/m`, { reducedMotion: "reduce" });
    await page.locator(".kt", { hasText: "TASK-001" }).waitFor();
    const focused = () => page.evaluate("document.activeElement.textContent");
    const press = async (key: string, task: string) => {
      await page.keyboard.press(key);
      await expect.poll(focused).toContain(task);
    };
    await page.keyboard.press("Enter");
    const first = page.getByRole("complementary", { name: "Task TASK-001" });
    await first.getByText("Step of One").waitFor();
    await expect.poll(focused).toContain("TASK-001");
    await page.keyboard.press("Escape");
    await expect.poll(() => first.count()).toBe(0);
    await press("j", "TASK-002");
    await press("j", "TASK-002");
    await press("k", "TASK-001");
    await press("l", "TASK-003");
    await press("h", "TASK-001");
    await press("l", "TASK-003");
    await page.keyboard.press("Enter");
    const panel = page.getByRole("complementary", { name: "Task TASK-003" });
    await panel.getByText("Step of Three").waitFor();
    await panel.getByText("It ships in parts").waitFor();
    expect(await panel.getByRole("link", { name: /thought 1/ }).getAttribute("href")).toBe(
      `#/s/${sessionId}/1`,
    );
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => panel.count()).toBe(0);
    const beside = page.getByRole("complementary", { name: "Conflicts, notes and decisions" });
    await beside.getByText("No conflicts to resolve").waitFor();
    await beside.getByText("standing rule").waitFor();
    await beside.getByRole("link", { name: "from thought 1" }).waitFor();
    await beside.getByRole("link", { name: "All notes" }).click();
    await page.getByRole("heading", { name: "Standing rules 1" }).waitFor();
    expect(await page.locator(".nte", { hasText: "standing rule" }).count()).toBe(1);
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${observatory.url}/#/m/default/TASK-003`);
    await panel.getByText("It ships in parts").waitFor();
    const [box, view] = [await panel.boundingBox(), page.viewportSize()];
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(view?.height ?? 0);
    expect(box?.y ?? 0).toBeGreaterThan(200);
    expect(page.problems).toEqual([]);
  });
});
