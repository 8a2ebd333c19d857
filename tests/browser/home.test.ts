import { expect, test } from "vitest";
import {
  describeInBrowser,
  openObservatory,
  plant,
  seriousFindings,
  thinkAboutReports,
} from "./browser.testing.ts";

describeInBrowser("home", (open) => {
  test("shows what happened, links to the thought, and holds new rows back until the user asks for them", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const other = await observatory.call("start_new", { sessionTitle: "Second gateway" });
    await observatory.think(other.sessionId, "S1|C|It keeps keys for a day");
    const page = await open(observatory.url);
    await page.locator(".nc", { hasText: "Why is the report late?" }).waitFor();
    await page.locator(".ev.H", { hasText: "The join has no index" }).getByText("Not the query").waitFor();
    expect(await page.locator(".lane:not(.axis)").count()).toBe(2);
    await observatory.think(other.sessionId, "S2|C|S1|And forgets them after that");
    await page.getByRole("button", { name: /1 row changed/ }).click();
    await page.locator(".ev.C", { hasText: "And forgets them" }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.locator(".ev.H", { hasText: "Not the query" }).click();
    await page.locator(".dh h2", { hasText: "Hypothesis 3" }).waitFor();
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#/s/${sessionId}/3`);
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.locator(".nc").first().waitFor();
    expect(page.problems).toEqual([]);
  });

  test("covers today on a browser's first visit", async () => {
    const observatory = await openObservatory();
    await thinkAboutReports(observatory);
    const page = await open(observatory.url);
    await page.getByRole("heading", { name: "Today", exact: true }).waitFor();
    const periods = page.getByRole("group", { name: "Period" }).getByRole("button");
    expect(await periods.allTextContents()).toEqual(["Today", "7 days"]);
    expect(await periods.first().getAttribute("aria-pressed")).toBe("true");
  });

  test("offers longer periods and a date in one list, and shows the chosen one in its place", async () => {
    const observatory = await openObservatory();
    await thinkAboutReports(observatory);
    const page = await open(`${observatory.url}/#/?show=concluded`);
    const longer = page.getByRole("combobox", { name: "Another period" });
    const shown = () => longer.locator("option:checked").textContent();
    await longer.selectOption("30 days");
    await page.getByRole("heading", { name: "The last 30 days", exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/?since=30d&show=concluded");
    expect(await shown()).toBe("30 days");
    await longer.selectOption("A date…");
    await page.getByLabel("Since", { exact: true }).fill("2026-01-02");
    await page.getByRole("heading", { name: "Since 2 January 2026", exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/?since=2026-01-02&show=concluded");
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("heading", { name: "The last 7 days", exact: true }).waitFor();
    expect(await shown()).toBe("Since…");
    expect(await page.getByLabel("Since", { exact: true }).count()).toBe(0);
    await page.getByRole("link", { name: "With dead ends" }).click();
    await page.getByRole("heading", { name: /^Conclusions and dead ends/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("leads to a conflict in the memory if there is no thought yet", async () => {
    const observatory = await openObservatory();
    const { call } = observatory;
    await call("init", {});
    await call("branch_create", { name: "one" });
    const node = (title: string) => ({ op: "node_upsert", id: "n", type: "decision", title, status: "open" });
    await call("graph_apply", { branch: "one", ops: [node("base")] });
    await call("branch_create", { name: "two", from: "one" });
    await call("graph_apply", { branch: "two", ops: [node("theirs")] });
    await call("graph_apply", { branch: "one", ops: [node("ours")] });
    await call("graph_merge", { from: "two", into: "one" });
    const page = await open(observatory.url, { viewport: { width: 390, height: 800 } });
    await page.getByRole("heading", { name: "Nothing to watch yet" }).waitFor();
    await page.getByRole("link", { name: "1 conflict to resolve" }).click();
    await page.getByRole("button", { name: "Keep ours: copy the call" }).waitFor();
    expect(page.problems).toEqual([]);
  });

  test("shows a dead end as the idea with its reason, and counts it as its session does", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Slow CI" });
    await observatory.think(sessionId, "S1|O|CI takes 19 min since Monday");
    await observatory.think(sessionId, "S2|H|S1|The cache key changes with every commit");
    await observatory.think(sessionId, "S3|X|S2|Cache hits are at 91 %");
    const page = await open(observatory.url);
    await page.locator(".hmh", { hasText: "1 dead end" }).waitFor();
    const row = page.locator(".ev", { hasText: "The cache key changes with every commit" });
    await row.getByText("Cache hits are at 91 %").waitFor();
    expect(await row.locator(".chip.hollow").allTextContents()).toEqual(["H"]);
    expect(await row.locator(".reason .chip:not(.hollow)").allTextContents()).toEqual(["X"]);
    await row.click();
    await page.locator(".dh h2", { hasText: "Hypothesis 2" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".stat", { hasText: /^1dead end$/ }).waitFor();
  });

  test("counts what is new in the page title until it is marked as seen", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Pool" });
    await observatory.think(sessionId, "S1|C|The pool is too small");
    await observatory.think(sessionId, "S2|E|It is never full");
    await observatory.think(sessionId, "S3|E|[S2] ⊖ [S1]");
    const page = await open(observatory.url);
    await page.locator(".contra").waitFor();
    await expect.poll(() => page.title()).toBe("(1) Home – Thoughtbox");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: /Nothing new since/ }).waitFor();
    await page.getByText(/^There are no new thoughts, questions or moved tasks in \d+ seconds?\.$/).waitFor();
    expect(await page.getByRole("button", { name: "Mark as seen" }).count()).toBe(0);
    await expect.poll(() => page.title()).toBe("Home – Thoughtbox");
    await page.getByRole("button", { name: "Today" }).click();
    await page.locator(".contra").waitFor();
    await expect.poll(() => page.url()).toContain("since=today");
  });

  test("shows who has to answer a question, and the last words of a session in prose", async () => {
    const observatory = await openObservatory();
    const asked = { isOpen: true, minutesAgo: 5, thoughts: ["S1|O|seen", "S2|Q|May it be 60 s old?"] };
    await plant(observatory, 1, { title: "Prices", ...asked });
    await plant(observatory, 2, { title: "Refunds", thoughts: ["S1|Q|Who may refund?", "S2|O|more"] });
    const prose = `${"I looked at every file. ".repeat(60)}\n\nTwo places are left.`;
    await plant(observatory, 3, { title: "Rename", thoughts: ["Please rename it.", prose] });
    const page = await open(`${observatory.url}/#/?since=7d`);
    await page.locator(".ev", { hasText: "May it be 60 s old?" }).getByText("asked you").waitFor();
    await page.locator(".ev", { hasText: "Who may refund?" }).getByText("session ended").waitFor();
    await page.locator(".ev", { hasText: /^NTwo places are left\./ }).waitFor();
    await plant(observatory, 4, { title: "Move", isOpen: true, minutesAgo: 1, thoughts: ["I read on."] });
    await page.goto(`${observatory.url}/#/sessions`);
    await page.locator(".t2", { hasText: "Ended with“Two places are left.”" }).waitFor();
    await page.locator(".t2", { hasText: "Last statement“I read on.”" }).waitFor();
  });

  test("can be reached with the keyboard without passing the rail", async () => {
    const observatory = await openObservatory();
    await thinkAboutReports(observatory);
    const page = await open(observatory.url);
    await page.getByRole("heading", { name: "Today", exact: true }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.locator("main:focus").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("fits a phone, with tabs at the bottom and nothing wider than the screen", async () => {
    const observatory = await openObservatory();
    await thinkAboutReports(observatory);
    const page = await open(observatory.url, { viewport: { width: 390, height: 800 } });
    await page.locator(".nc").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.getByRole("navigation", { name: "Places" }).getByText("Sessions").click();
    await page.locator(".tr").waitFor();
  });
});
