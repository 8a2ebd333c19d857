import { expect, test } from "vitest";
import {
  describeInBrowser,
  openObservatory,
  plant,
  seriousFindings,
  thinkAboutReports,
} from "./browser.testing.ts";

/** One black pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

describeInBrowser("looking around", (open) => {
  async function openSession(rest = "") {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const page = await open(observatory.at(sessionId, rest));
    await page.locator(".time canvas").waitFor();
    await page.locator(".legend").waitFor();
    return { observatory, sessionId, page, hash: () => decodeURIComponent(new URL(page.url()).hash) };
  }

  test("keys move along the line, into branches and back, and the address changes with them", async () => {
    const { page, sessionId, hash } = await openSession();
    const title = page.locator(".dh h2");
    const press = async (key: string) => page.keyboard.press(key);
    await press("l");
    await press("Enter");
    await title.getByText("1").waitFor();
    for (const key of ["l", "l"]) await press(key);
    await page.locator(".dh h2", { hasText: "Hypothesis 3" }).waitFor();
    await press("b");
    await page.locator(".dh .eyebrow", { hasText: "slow-query" }).waitFor();
    await expect.poll(hash).toBe(`#/s/${sessionId}/slow-query/4`);
    await press("u");
    await page.locator(".dh h2", { hasText: "Hypothesis 3" }).waitFor();
    await press("]");
    await page.locator(".dh h2", { hasText: "Conclusion 5" }).waitFor();
    await press("r");
    await page.locator(".dh h2", { hasText: "Revision 6" }).waitFor();
    await page.getByText("What changed").waitFor();
    await press("Escape");
    await page.locator(".detail").waitFor({ state: "detached" });
    await press("Escape");
    await expect.poll(hash).toBe(`#/s/${sessionId}`);
  });

  test("a short session fits on the screen, and its legend does not change the zoom", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Young" });
    for (const text of ["S1|O|seen", "S2|H|S1|supposed", "said in prose", "S4|E|S2|shown"])
      await observatory.think(sessionId, text);
    const page = await open(observatory.at(sessionId), { viewport: { width: 1280, height: 800 } });
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).first().boundingBox();
      if (!box) throw new Error(`${selector} is not shown`);
      return { ...box, right: box.x + box.width };
    };
    const expectWhole = async () => {
      const stage = await boxOf(".stage");
      for (const card of await page.locator(".cards .tc:visible").all()) {
        const box = await card.boundingBox();
        expect(box?.x).toBeGreaterThanOrEqual(stage.x);
        expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(stage.right);
      }
    };
    await expect.poll(() => page.locator(".cards .tc:visible").count()).toBeGreaterThanOrEqual(4);
    await expectWhole();
    await page.getByRole("button", { name: "Fit" }).click();
    await expectWhole();
    await page.locator(".tc").first().click();
    await page.locator(".detail").waitFor();
    expect((await boxOf(".legend")).right).toBeLessThan((await boxOf(".zoom")).x);
  });

  test("a small session opens with text on its cards, even if it is wider than the stage", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Small" });
    const page = await open(observatory.url, { viewport: { width: 1280, height: 800 } });
    const firstCard = page.locator(".cards .tc:visible", { hasText: "Fact number 1 in words" });
    for (let n = 1; n <= 12; n += 1) {
      await observatory.think(sessionId, `S${n}|E|Fact number ${n} in words`);
      if (n !== 5 && n !== 12) continue;
      await page.goto("about:blank");
      await page.goto(observatory.at(sessionId));
      await firstCard.waitFor();
    }
  });

  test("links open a thought, a moment, a search and a comparison", async () => {
    const { page, observatory, sessionId } = await openSession("/lock-wait/6");
    await page.locator(".dh h2", { hasText: "Evidence 6" }).waitFor();
    await page.goto(observatory.at(sessionId, "?t=3"));
    await page.getByText("what the agent believed then").waitFor();
    expect(await page.getByRole("slider", { name: "Moment" }).getAttribute("aria-valuenow")).toBe("3");
    expect(await page.locator(".story .now").textContent()).toContain("none yet");
    await page.goto(observatory.at(sessionId, "?q=transaction"));
    await page.locator(".pill", { hasText: "2 thoughts" }).waitFor();
    await page.goto(observatory.at(sessionId, "/compare/main..lock-wait"));
    await page.getByText("Both begin at").waitFor();
    await page.goto(observatory.at(sessionId, "/87"));
    await page.getByText("This session has no thought 87").waitFor();
    await page.goto(observatory.at("no-such-session"));
    await page.getByText("Session not found").waitFor();
  });

  test("replay steps through the session, shows what was believed at the time, and returns to the present", async () => {
    const { page, hash } = await openSession();
    await page.keyboard.press(",");
    await page.locator(".clock", { hasText: "9 of 10" }).waitFor();
    await page.locator(".story .now", { hasText: "One long transaction" }).waitFor();
    await expect.poll(hash).toContain("t=9");
    await page.getByRole("slider", { name: "Moment" }).press("Home");
    await page.locator(".clock", { hasText: "1 of 10" }).waitFor();
    await page.getByRole("button", { name: "Speed 4×" }).click();
    await page.getByRole("button", { name: "Play" }).click();
    await page
      .locator(".clock", { hasText: "now" })
      .or(page.locator(".clock", { hasText: "end" }))
      .waitFor();
    expect(await page.locator(".tc.later").count()).toBe(0);
  });

  test("compares two sessions side by side, step by step, each with its title", async () => {
    const { page, observatory, hash } = await openSession();
    const { sessionId: other } = await observatory.call("start_new", { sessionTitle: "Second gateway" });
    await observatory.think(other, "S1|Q|Does it keep keys?");
    await observatory.think(other, "S2|C|S1|For a day");
    await page.keyboard.press("c");
    await page.getByLabel("Compare with").selectOption({ label: "Second gateway" });
    await page.locator(".cst", { hasText: "Second gateway" }).waitFor();
    await page.locator(".cc", { hasText: "For a day" }).waitFor();
    expect(hash()).toContain(`/with/${other}`);
    expect(await page.locator(".cst").allTextContents()).toEqual([
      "Why is the report late?",
      "Second gateway",
    ]);
    expect(await page.locator(".cc:not(.none)").count()).toBe(8);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel("Left line").selectOption("slow-query");
    await page.locator(".cc", { hasText: "Not the query" }).waitFor();
    await page.locator(".cc", { hasText: "For a day" }).click();
    await page.locator(".dh h2", { hasText: "Conclusion 2" }).waitFor();
    expect(hash()).toContain(other);
  });

  test("a long title leaves the project of its session readable", async () => {
    const observatory = await openObservatory();
    const thoughts = ["S1|Q|Does it keep keys?"];
    const title = "Does the second gateway keep its keys? ".repeat(5).trim();
    const id = await plant(observatory, 1, { title, project: "gateways", thoughts });
    const page = await open(observatory.at(id));
    const project = page.locator(".crumb .p bdi", { hasText: "gateways" });
    await project.waitFor();
    expect(await project.evaluate((here: any) => here.scrollWidth <= here.clientWidth)).toBe(true);
  });

  test("compares two branches side by side from their fork", async () => {
    const { page, hash } = await openSession("/lock-wait/6");
    await page.keyboard.press("c");
    await page.getByText("Both begin at").waitFor();
    expect(hash()).toContain("/compare/main..lock-wait");
    expect(await page.locator(".cc:not(.none)").count()).toBe(4);
    await page.getByLabel("Right line").selectOption("slow-query");
    await page.getByText(/^Dead end/).waitFor();
    await expect.poll(hash).toContain("main..slow-query");
    const focused = () => page.evaluate<string>("document.activeElement.textContent");
    await page.locator("body").press("h");
    expect(await focused()).toContain("Two jobs overlap");
    await page.keyboard.press("l");
    expect(await focused()).toContain("The plan shows an index scan");
    await page.keyboard.press("j");
    expect(await focused()).toContain("Not the query");
    await page.keyboard.press("Enter");
    await page.locator(".dh h2", { hasText: "Rejected 5" }).waitFor();
  });

  test("a recorded run shows the code as it ran, its printed and displayed output, and HTML as text", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const { notebookId } = await observatory.call("notebook.create", { sessionId, name: "Locks" });
    const { cellId } = await observatory.call("notebook.add_cell", {
      ...{ sessionId, notebookId, type: "code", filename: "wait.js" },
      content: `console.log("waited 3 s"); display({ mime: "text/html", data: "<img src=x onerror=alert(1)>" });
        display({ mime: "image/png", data: "${pixel}" }); 33 * 3`,
    });
    const { recorded } = await observatory.call("notebook.run_cell", {
      ...{ sessionId, notebookId, cellId, recordAs: { sessionId } },
    });
    const page = await open(observatory.at(sessionId, `/${recorded.thoughtNumber}`));
    const cell = page.locator(".sec.cell");
    await cell.getByText("waited 3 s").first().waitFor();
    expect(await cell.textContent()).toMatch(/wait\.js · version 1 · completed · \d+ ms · sandbox \w+/);
    expect(await cell.textContent()).toContain("<img src=x onerror=alert(1)>");
    expect(await cell.textContent()).toContain("99");
    const picture = cell.getByRole("img", { name: "Shown by the cell" });
    await picture.waitFor();
    expect(await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1);
    expect(page.problems).toEqual([]);
  });

  test("the palette finds thoughts, branches and commands", async () => {
    const { page, hash } = await openSession();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("lock-wait 6");
    await page.getByRole("option", { name: /waited three seconds/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".dh h2", { hasText: "Evidence 6" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("> light");
    await page.keyboard.press("Enter");
    await page.locator("html[data-theme=light]").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(">fold dead");
    await page.keyboard.press("Enter");
    await page.locator(".tc.fold", { hasText: "slow-query" }).waitFor();
    await expect.poll(hash).toContain("fold=slow-query");
  });

  test("the palette states that there are more hits than the server sent", async () => {
    const { page, observatory } = await openSession();
    const thoughts = Array.from({ length: 60 }, (_, n) => `S${n + 1}|E|lease ${n + 1}`);
    await plant(observatory, 1, { title: "Jobs", thoughts });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("lease");
    await page.getByText("47+ more").waitFor();
  });

  test("the words of a link fit beside its letter", async () => {
    const observatory = await openObservatory();
    const thoughts = ["S1|H|It is the join", "S2|E|S1|It is slow", "S3|E|[S2] ⊖ [S1]"];
    const id = await plant(observatory, 1, { title: "Join", thoughts });
    const page = await open(observatory.at(id, "/1"));
    const words = page.locator(".links .rel", { hasText: "contradicted by" }).first();
    await words.waitFor();
    expect(await words.evaluate((here: any) => here.scrollWidth <= here.clientWidth)).toBe(true);
  });

  test("a search over all sessions opens the thought that was found", async () => {
    const { page, observatory } = await openSession();
    await page.goto(`${observatory.url}/#/sessions`);
    await page.locator(".tr").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("vacuum");
    await page.locator(".hitrow", { hasText: "cancelled vacuum" }).click();
    await page.locator(".dh h2", { hasText: "Revision 6" }).waitFor();
  });

  test("a search within a session keeps every letter that is typed right after /", async () => {
    const { page } = await openSession();
    await page.keyboard.press("/");
    await page.keyboard.type("transaction");
    await page.locator(".pill", { hasText: "2 thoughts" }).waitFor();
    expect(await page.getByLabel("Search this session").inputValue()).toBe("transaction");
  });

  test("on a phone, the outline of a running session opens at its end and stays where the reader scrolls", async () => {
    const observatory = await openObservatory();
    const thoughts = Array.from({ length: 120 }, (_, n) => `S${n + 1}|E|finding ${n + 1}`);
    const id = await plant(observatory, 1, { title: "At work", isOpen: true, minutesAgo: 0.1, thoughts });
    const page = await open(observatory.at(id), { viewport: { width: 390, height: 800 } });
    await page.getByRole("tree").getByText("finding 120", { exact: true }).waitFor();
    const isShown = async (text: string) => {
      const box = await page.getByRole("tree").getByText(text, { exact: true }).boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= 800;
    };
    await expect.poll(() => isShown("finding 120")).toBe(true);
    await observatory.think(id, "S121|E|the newest");
    await expect.poll(() => isShown("the newest")).toBe(true);
    await page.mouse.move(200, 400);
    await page.mouse.wheel(0, -2_000);
    await expect.poll(() => isShown("the newest")).toBe(false);
    await observatory.think(id, "S122|E|another one");
    await page.getByRole("tree").getByText("another one").waitFor({ state: "attached" });
    expect(await isShown("another one")).toBe(false);
  });

  test("on a phone, a search shows its first hit, and a text as written keeps within the panel", async () => {
    const observatory = await openObservatory();
    const long = "S80|E|the lease ended before the worker that held it had written its last batch";
    const thoughts = Array.from({ length: 120 }, (_, n) =>
      n === 79 ? long : `S${n + 1}|E|finding ${n + 1}`,
    );
    const id = await plant(observatory, 1, { title: "Leases", thoughts });
    const page = await open(observatory.at(id, "?q=lease"), { viewport: { width: 390, height: 800 } });
    const hit = page.getByRole("treeitem", { name: /lease ended/ });
    const bottom = async () => {
      const box = await hit.boundingBox();
      return box ? box.y + box.height : Number.POSITIVE_INFINITY;
    };
    await expect.poll(bottom).toBeLessThanOrEqual(800);
    await page.getByRole("textbox", { name: "Search this session" }).fill("finding");
    const count = page.locator(".pill", { hasText: "119 thoughts" });
    await count.waitFor();
    expect((await count.boundingBox())?.height).toBeLessThan(44);
    await page.getByRole("textbox", { name: "Search this session" }).fill("lease");
    await hit.click();
    await page.keyboard.press("p");
    const written = page.locator(".detail .md .raw", { hasText: long });
    await written.waitFor();
    expect(await written.evaluate((here: any) => here.scrollWidth <= here.clientWidth)).toBe(true);
  });

  test("a short running session fits on the screen, even if its newest thought is near the edge", async () => {
    const observatory = await openObservatory();
    const thoughts = Array.from({ length: 9 }, (_, n) => `S${n + 1}|E|finding ${n + 1}`);
    const id = await plant(observatory, 1, { title: "Young", isOpen: true, minutesAgo: 0.1, thoughts });
    const page = await open(observatory.at(id), { reducedMotion: "reduce" });
    const cards = page.locator(".cards .tc:visible", { hasText: "finding" });
    await expect.poll(() => cards.count()).toBe(9);
    const stage = await page.locator(".stage").boundingBox();
    for (const card of await cards.all()) {
      const box = await card.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(stage?.x ?? 0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((stage?.x ?? 0) + (stage?.width ?? 0));
    }
  });

  test("the outline shows the session as a tree, and is the first view on a phone", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const page = await open(observatory.at(sessionId), { viewport: { width: 400, height: 800 } });
    await page.getByRole("tree").waitFor();
    expect(await page.getByRole("treeitem").count()).toBe(12);
    await page.getByRole("treeitem", { name: /Branch slow-query ?2 thoughts · dead end/ }).click();
    await expect.poll(() => page.getByRole("treeitem").count()).toBe(10);
    await page.getByRole("treeitem", { name: /Two causes/ }).click();
    const sheet = await page.locator(".detail").boundingBox();
    expect(sheet?.width).toBe(400);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(400);
  });
});
