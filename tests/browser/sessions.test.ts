import { expect, test } from "vitest";
import { describeInBrowser, openObservatory, plant, seriousFindings } from "./browser.testing.ts";

const saying = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `S${n + 1}|E|${text(n + 1)}`);

describeInBrowser("the list of sessions", (open) => {
  const facet = (name: string) => new RegExp(`^(?:${name})\\s*(\\d|–)`);

  test("counts search results per filter, and n moves through the hits", async () => {
    const observatory = await openObservatory();
    const long = await plant(observatory, 1, {
      title: "Leases",
      thoughts: saying(9, (n) => `the lease ends at ${n}`),
    });
    await plant(observatory, 2, { title: "Pools", thoughts: saying(3, () => "a pool is dry") });
    await plant(observatory, 3, {
      ...{ title: "Both", project: "infra", agent: "codex" },
      thoughts: ["S1|H|the lease of the pool", "S2|E|a pool", "S3|X|S1|leases do not matter here"],
    });
    const page = await open(`${observatory.url}/#/sessions`);
    const rail = page.getByRole("group", { name: "Filter sessions" });
    await rail.getByRole("button", { name: facet("shop") }).waitFor();
    expect(await rail.getByRole("button", { name: facet("shop") }).textContent()).toBe("shop2");
    await page.keyboard.press("/");
    await page.keyboard.type("lease");
    const count = page.locator(".cnt");
    await count.getByText("11").waitFor();
    expect(await count.textContent()).toBe("11 thoughts in 2 of 3 sessions");
    expect(await rail.getByRole("button", { name: facet("shop") }).textContent()).toBe("shop1");
    expect(await rail.getByRole("button", { name: facet("infra") }).textContent()).toBe("infra1");
    expect(await rail.getByRole("button", { name: facet("Codex") }).textContent()).toBe("Codex1");
    await rail.getByRole("button", { name: facet("shop") }).click();
    await expect.poll(() => count.textContent()).toBe("9 thoughts in 1 of 3 sessions");
    await page.getByText("5 more in this session").waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    const focused = page.locator(":focus");
    for (let n = 0; n < 4; n++) await page.keyboard.press("n");
    expect(await page.locator(".hitrow:not(.more-hits)").count()).toBe(4);
    await page.keyboard.press("n");
    await expect.poll(() => page.locator(".hitrow").count()).toBe(9);
    await focused.getByText("the lease ends at").waitFor();
    await page.keyboard.press("N");
    const number = await focused.locator(".num").textContent();
    await page.keyboard.press("Enter");
    await page.locator(".dh h2", { hasText: `Evidence ${number}` }).waitFor();
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#/s/${long}/${number}?q=lease`);
    expect(page.problems).toEqual([]);
  });

  test("opens the first hit on Enter, and a phone has a button that clears the search", async () => {
    const observatory = await openObservatory();
    const id = await plant(observatory, 1, {
      title: "Leases",
      thoughts: ["S1|O|nothing", "S2|C|the lease ends"],
    });
    const page = await open(`${observatory.url}/#/sessions`);
    await page.keyboard.press("/");
    await page.keyboard.type("lease");
    await page.locator(".hitrow.next", { hasText: "the lease ends" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".dh h2", { hasText: "Conclusion 2" }).waitFor();
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#/s/${id}/2?q=lease`);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${observatory.url}/#/sessions?q=lease`);
    await page.locator(".hitrow.next").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Clear the search" }).click();
    await page.locator(".cnt", { hasText: "1 session · 2 thoughts" }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/sessions");
    await page.locator("input[type=search]:focus").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("shows filters in the same order whatever is chosen, and turns the sign of the order", async () => {
    const observatory = await openObservatory();
    await plant(observatory, 1, { title: "One", project: "_default", thoughts: ["S1|C|done"] });
    await plant(observatory, 2, { title: "Two", project: "_default", thoughts: ["S1|C|done"] });
    await plant(observatory, 3, { title: "Three", project: "shop", agent: "codex", thoughts: ["S1|C|done"] });
    await plant(observatory, 4, { title: "Four", project: "infra", thoughts: ["S1|C|done"] });
    const page = await open(`${observatory.url}/#/sessions`);
    const rail = page.getByRole("group", { name: "Filter sessions" });
    const projects = () =>
      rail.getByRole("button", { name: facet("infra|shop|No project") }).allTextContents();
    await expect.poll(projects).toEqual(["infra1", "shop1", "No project2"]);
    await rail.getByRole("button", { name: facet("Codex") }).click();
    await expect.poll(projects).toEqual(["infra0", "shop1", "No project0"]);
    await page.locator(".toks").getByRole("button", { name: "Filter", exact: true }).click();
    await rail.locator("button:focus").waitFor();
    await page.getByRole("button", { name: "Sort by thoughts" }).click();
    expect(await page.locator(".th .turned").count()).toBe(0);
    await page.getByRole("button", { name: "Sort by thoughts" }).click();
    await page.locator(".th .turned").waitFor();
    await page.getByRole("button", { name: "Sorted by thoughts, reversed" }).locator(".upward").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("keeps its scroll position on Back and reload, and starts at the top on a new visit", async () => {
    const observatory = await openObservatory();
    for (let n = 1; n <= 150; n++)
      await plant(observatory, n, { title: `Session ${n}`, thoughts: [`S1|C|conclusion ${n}`] });
    const page = await open(`${observatory.url}/#/sessions`);
    const scrolled = () => page.evaluate<number>("document.querySelector('main').scrollTop");
    const wanted = page.locator(".tr", { hasText: "Session 90" });
    await page.locator(".foot", { hasText: "60 of 150 loaded" }).waitFor();
    for (let tries = 0; (await wanted.count()) === 0 && tries < 20; tries++) {
      await page.locator(".tr").last().scrollIntoViewIfNeeded();
      await page.mouse.move(700, 500);
      await page.mouse.wheel(0, 1_500);
    }
    await wanted.scrollIntoViewIfNeeded();
    await wanted.focus();
    const before = await scrolled();
    expect(before).toBeGreaterThan(1_000);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Session 90" }).waitFor();
    await page.goBack();
    await page.locator(":focus", { hasText: "Session 90" }).waitFor();
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(80);
    await page.reload();
    await page.locator(":focus", { hasText: "Session 90" }).waitFor();
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(80);
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.locator(".hm").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.locator(".foot", { hasText: "60 of 150 loaded" }).waitFor();
    expect(await scrolled()).toBe(0);
  });

  test("shows no count before it has arrived", async () => {
    const observatory = await openObservatory();
    await plant(observatory, 1, { title: "Session 1", thoughts: ["S1|C|conclusion"] });
    const page = await open("about:blank");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.routeWebSocket(/.*/, async (socket) => {
      await held;
      socket.connectToServer();
    });
    await page.goto(`${observatory.url}/#/sessions`);
    await page.getByRole("link", { name: "Sessions –" }).waitFor();
    release();
    await page.getByRole("link", { name: "Sessions 1" }).waitFor();
  });

  test("has the requested order, although it loads older sessions later", async () => {
    const observatory = await openObservatory();
    for (let n = 1; n <= 130; n++)
      await plant(observatory, n, { title: `Session ${n}`, thoughts: [`S1|C|conclusion ${n}`] });
    const page = await open(`${observatory.url}/#/sessions?sort=-last`);
    await expect.poll(() => page.locator(".foot").textContent()).toContain("60 of 130 loaded");
    expect(await page.locator(".tr").first().textContent()).toMatch(/^Session 130/);
    expect(await page.locator(".pill-news").count()).toBe(0);
    expect(page.problems).toEqual([]);
  });

  test("keeps only the rows near the visible part in the page", async () => {
    const observatory = await openObservatory();
    for (let n = 1; n <= 420; n++)
      await plant(observatory, n, { title: `Session ${n}`, thoughts: [`S1|C|conclusion ${n}`] });
    const page = await open(`${observatory.url}/#/sessions`);
    await page.locator(".foot", { hasText: "60 of 420 loaded" }).waitFor();
    const scrollOn = async () => {
      await page.evaluate("document.querySelector('main').scrollTo(0, 1e6)");
      return page.locator(".foot").textContent();
    };
    await expect.poll(scrollOn, { timeout: 10_000 }).toContain("420 sessions, all loaded");
    await page.locator(".tr", { hasText: "Session 420" }).waitFor();
    await expect.poll(() => page.locator(".tr").count()).toBeLessThan(300);
    await page.evaluate("document.querySelector('main').scrollTo(0, 0)");
    await page.locator(".tr", { hasText: /^Session 1shop/ }).waitFor();
  });

  test("suggests a word or a search without filters if nothing is found", async () => {
    const observatory = await openObservatory();
    await plant(observatory, 1, { title: "Leases", thoughts: saying(2, () => "the lease ends") });
    await plant(observatory, 2, { title: "Other", project: "infra", thoughts: ["S1|C|nothing"] });
    const page = await open(`${observatory.url}/#/sessions?q=leese`);
    await page.getByText("No thought contains “leese”").waitFor();
    await page.locator(".cen", { hasText: "Did you mean lease? 2 thoughts contain it." }).waitFor();
    await page.getByRole("button", { name: "lease", exact: true }).click();
    await expect.poll(() => page.locator(".cnt").textContent()).toBe("2 thoughts in 1 of 2 sessions");
    await page
      .getByRole("group", { name: "Filter sessions" })
      .getByRole("button", { name: facet("infra") })
      .click();
    await page.getByRole("button", { name: "Search without filters (2)" }).click();
    await page.locator(".hitrow").first().waitFor();
  });

  test("drops the last filter on Backspace", async () => {
    const observatory = await openObservatory();
    await plant(observatory, 1, { title: "One", thoughts: ["S1|C|done"] });
    const page = await open(`${observatory.url}/#/sessions?project=shop&state=ended&from=2020-01-02`);
    await page.locator(".tok", { hasText: "since" }).waitFor();
    expect(await page.locator(".tok").allTextContents()).toEqual([
      "Drop state Ended",
      "Drop project shop",
      "Drop since 2 January 2020",
    ]);
    await page.keyboard.press("Backspace");
    await expect.poll(() => page.locator(".tok").count()).toBe(2);
    await page.locator(".tok", { hasText: "Ended" }).focus();
    await page.keyboard.press("Backspace");
    await page.keyboard.press("/");
    await page.keyboard.press("Backspace");
    await expect.poll(() => page.locator(".tok").count()).toBe(0);
    await expect.poll(() => new URL(page.url()).hash).toBe("#/sessions");
  });

  test("a search within a long session counts every thought that matches", async () => {
    const observatory = await openObservatory();
    const id = await plant(observatory, 1, {
      title: "Long",
      thoughts: saying(2_600, (n) => (n % 2 === 0 ? `the lease ends at ${n}` : `the pool ${n}`)),
    });
    const page = await open(observatory.at(id, "?q=lease"));
    await page.locator(".pill.search", { hasText: "1,300 thoughts" }).waitFor();
  });
});
