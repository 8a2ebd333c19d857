import { expect, test } from "vitest";
import { openRaw } from "../support/disk/raw-database.ts";
import { spawnServer } from "../support/server-process.ts";
import { describeInBrowser, openObservatory, thinkAboutReports } from "./browser.testing.ts";

describeInBrowser("watching", (open) => {
  test("without scripts, the page names the commands that read the same sessions", async () => {
    const { url } = await openObservatory();
    const page = await open(url, { javaScriptEnabled: false });
    const words = await page.locator("noscript").textContent();
    for (const command of ["thoughtbox ls", "thoughtbox read"]) expect(words).toContain(command);
  });

  test("sessions without a project can be filtered if there are projects", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Loose" });
    await observatory.think(sessionId, "S1|O|seen");
    const page = await open(`${observatory.url}/#/sessions`);
    await page.locator(".tr", { hasText: "Loose" }).waitFor();
    expect(await page.locator(".fc", { hasText: "No project" }).count()).toBe(0);
    await observatory.call("start_new", { sessionTitle: "Bound", project: "shop" });
    await page.getByRole("button", { name: /1 session changed/ }).click();
    await page.locator(".tr", { hasText: "Bound" }).waitFor();
    await page.getByRole("button", { name: "Quiet 0" }).waitFor();
    await page.locator(".fc", { hasText: "No project" }).click();
    await page.locator(".tr", { hasText: "Bound" }).waitFor({ state: "detached" });
    expect(await page.locator(".tr").allTextContents()).toEqual([expect.stringContaining("Loose")]);
    await expect.poll(() => page.url()).toContain("#/sessions?project=_default");
    await page.reload();
    await page.getByRole("button", { name: "Drop project No project" }).click();
    await page.locator(".tr", { hasText: "Bound" }).waitFor();
    await page.getByRole("button", { name: "Sort by session" }).click();
    await expect.poll(() => page.url()).toContain("sort=title");
    expect((await page.locator(".tr b").allTextContents()).join()).toBe("Bound,Loose");
  });

  test("a page without sessions explains how to start, and the first thought opens its session", async () => {
    const { url, call, think } = await openObservatory();
    const page = await open(url);
    await page.getByRole("heading", { name: "Nothing to watch yet" }).waitFor();
    const { sessionId } = await call("start_new", { sessionTitle: "First of all" });
    await think(sessionId, "S1|O|It begins");
    await page.getByRole("heading", { name: "First of all" }).waitFor();
    await page.locator(".tc", { hasText: "It begins" }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/s/${sessionId}`);
    expect(page.problems).toEqual([]);
  });

  test("the sample session can be seen without any agent", async () => {
    const { url } = await openObservatory();
    const page = await open(url);
    await page.getByRole("button", { name: "Open a sample session" }).click();
    await page.getByRole("heading", { name: "Why is the nightly report late?" }).waitFor();
    expect(await page.locator(".tc").count()).toBeGreaterThan(30);
    expect(page.problems).toEqual([]);
  });

  test("opening a running session shows its past, and new thoughts appear while it runs", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const page = await open(observatory.at(sessionId));
    await page.locator(".tc", { hasText: "Two causes" }).waitFor();
    expect(await page.locator(".tc:not(.wait)").count()).toBe(10);
    await observatory.think(sessionId, "S7|P|S6|Vacuum tonight");
    await page.locator(".tc", { hasText: "Vacuum tonight" }).waitFor();
    expect(await page.locator(".stat").first().textContent()).toMatch(/^11/);
    expect(page.problems).toEqual([]);
  });

  test("the list of sessions is live, and the user can move from session to session", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const page = await open(`${observatory.url}/#/sessions`);
    await page.locator(".tr", { hasText: "Why is the report late?" }).waitFor();
    const other = await observatory.call("start_new", { sessionTitle: "Another question" });
    await observatory.think(other.sessionId, "S1|Q|What else?");
    await page.getByRole("button", { name: /1 session changed/ }).click();
    await page.locator(".tr", { hasText: "Another question" }).click();
    await page.locator(".tc", { hasText: "What else?" }).waitFor();
    await page.locator(".srow", { hasText: "Why is the report late?" }).click();
    await page.locator(".tc", { hasText: "Two causes" }).waitFor();
    expect(page.url()).toContain(sessionId);
    await page.goBack();
    await page.locator(".tc", { hasText: "What else?" }).waitFor();
  });

  test("a thought that was changed in the store is marked, and the page explains it", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const store = openRaw(observatory.dataDir);
    store.exec("UPDATE thoughts SET thought = 'S2|Q|S1|Forged' WHERE position = 2");
    store.close();
    const page = await open(observatory.at(sessionId));
    await page.getByText("Thought 2 does not match its hash").waitFor();
    await page.locator(".tc", { hasText: "Forged" }).getByText("≠").waitFor();
    await page.getByRole("button", { name: "Verification report" }).click();
    await page.getByText(/were changed after it was recorded/).waitFor();
    const [banner, stage] = await Promise.all(
      [".over", ".stage"].map((name) => page.locator(name).boundingBox()),
    );
    expect((banner?.y ?? 0) + (banner?.height ?? 0)).toBeLessThanOrEqual(stage?.y ?? 0);
    await page.getByRole("button", { name: "Hide" }).click();
    expect(await page.getByText("does not match its hash").count()).toBe(0);
    expect(await page.locator(".tc:not(.wait)").count()).toBe(10);
    expect(page.problems).toEqual([]);
  });

  test("the graph expects a next thought only while the agent is thinking", async () => {
    const observatory = await openObservatory();
    const server = spawnServer(observatory.dataDir);
    await server.initialize();
    for (const operation of ["start_new", "cipher"]) await server.gateway({ operation, args: {} });
    const { sessionId } = await server.gateway({ operation: "thought", args: { thought: "S1|O|Alive" } });
    const page = await open(observatory.at(sessionId));
    await page.locator(".tc.wait", { hasText: "thinking" }).waitFor();
    server.child.kill("SIGKILL");
    await page
      .locator("header")
      .getByText(/^quiet/)
      .waitFor();
    await page.locator(".tc.wait").waitFor({ state: "detached" });
    await page.locator(".tc", { hasText: "Alive" }).waitFor();
    expect(page.problems).toEqual([]);
  });

  test("a page reconnects to a restarted server without a reload", async () => {
    const first = await openObservatory();
    const sessionId = await thinkAboutReports(first);
    const page = await open(first.at(sessionId));
    await page.locator(".tc", { hasText: "Two causes" }).waitFor();
    await page.evaluate("window.sameDocument = true");
    await first.stop();
    await page.getByText("Connection lost").first().waitFor();
    const [bar, main] = await Promise.all([".push", "#main"].map((name) => page.locator(name).boundingBox()));
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(main?.y ?? 0);
    const second = await openObservatory({ dataDir: first.dataDir, port: first.port });
    await second.think(sessionId, "S7|P|S6|Thought while nobody watched");
    await page.getByText("1 thought arrived in the meantime").waitFor();
    await page.locator(".tc", { hasText: "Thought while nobody watched" }).waitFor();
    expect(await page.evaluate("window.sameDocument")).toBe(true);
    await second.think(sessionId, "S8|P|S7|And one more");
    await page.locator(".tc", { hasText: "And one more" }).waitFor();
    expect(page.problems).toEqual([]);
  });
});
