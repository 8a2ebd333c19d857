import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser, openObservatory, thinkAboutReports } from "./browser.testing.ts";

const zoomOf = async (page: Page) =>
  Number.parseInt((await page.locator(".zoom .num").textContent()) ?? "", 10);
const placeOf = async (page: Page, words: string) => {
  const box = await page.locator(".tc", { hasText: words }).boundingBox();
  if (!box) throw new Error(`No card says ${words}.`);
  return { x: Math.round(box.x), y: Math.round(box.y) };
};
/** A point on the stage, left of the legend and below every card. */
const empty = { x: 700, y: 700 };

describeInBrowser("moving around the graph", (open) => {
  async function openGraph() {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    const page = await open(observatory.at(sessionId), { reducedMotion: "reduce" });
    await page.locator(".tc", { hasText: "Two causes" }).waitFor();
    return { observatory, sessionId, page };
  }

  test("the wheel pans, a drag pans, and neither zooms", async () => {
    const { page } = await openGraph();
    const zoom = await zoomOf(page);
    const { x, y } = await placeOf(page, "Two causes");
    await page.mouse.move(empty.x, empty.y);
    await page.mouse.wheel(30, 50);
    await expect.poll(() => placeOf(page, "Two causes")).toEqual({ x: x - 30, y: y - 50 });
    await page.mouse.down();
    await page.mouse.move(empty.x + 40, empty.y + 20, { steps: 4 });
    await page.mouse.move(empty.x + 80, empty.y + 40, { steps: 4 });
    await page.mouse.up();
    // The first pixels of a drag may still count as a click.
    await expect.poll(async () => (await placeOf(page, "Two causes")).x).toBeGreaterThan(x + 20);
    expect(await zoomOf(page)).toBe(zoom);
    expect(await page.locator(".detail").count()).toBe(0);
  });

  test("Ctrl and wheel zoom at the pointer, a double click zooms to 100 %, 0 fits again", async () => {
    const { page } = await openGraph();
    const fitted = await zoomOf(page);
    const { x, y } = await placeOf(page, "Two causes");
    await page.mouse.move(x + 1, y + 1);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    // The zoom is shown as a whole percentage.
    await expect.poll(async () => Math.abs((await zoomOf(page)) - fitted * Math.exp(0.22))).toBeLessThan(1.5);
    const now = await placeOf(page, "Two causes");
    expect(Math.abs(now.x - x)).toBeLessThanOrEqual(2);
    expect(Math.abs(now.y - y)).toBeLessThanOrEqual(2);
    await page.mouse.dblclick(empty.x, empty.y);
    await expect.poll(() => zoomOf(page)).toBe(100);
    await page.keyboard.press("0");
    await expect.poll(() => zoomOf(page)).toBe(fitted);
  });

  test("zooming scales the cards, which are laid out again when it ends", async () => {
    const { page } = await openGraph();
    const widths = () =>
      page.evaluate<{ laidOut: number; seen: number }>(`({
        laidOut: document.querySelector(".tc").offsetWidth,
        seen: Math.round(document.querySelector(".tc").getBoundingClientRect().width),
      })`);
    const before = await widths();
    expect(before.seen).toBe(before.laidOut);
    await page.evaluate(`{
      window.isScaled = false;
      const cards = document.querySelector(".cards");
      new MutationObserver(() => (isScaled ||= cards.style.transform.includes("scale"))).observe(cards, {
        attributes: true,
      });
    }`);
    await page.mouse.move(empty.x, empty.y);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -40);
    await page.keyboard.up("Control");
    await expect.poll(async () => (await widths()).laidOut).toBeGreaterThan(before.laidOut);
    const after = await widths();
    expect(after.seen).toBe(after.laidOut);
    expect(await page.evaluate("isScaled")).toBe(true);
  });

  test("a click on a card opens it, and a click beside the cards closes it", async () => {
    const { page } = await openGraph();
    await page.locator(".tc", { hasText: "Two causes" }).click();
    await page.locator(".dh h2", { hasText: "Revision 6" }).waitFor();
    await page.mouse.click(empty.x, empty.y);
    await page.locator(".detail").waitFor({ state: "detached" });
  });

  test("two fingers zoom", async () => {
    const { page } = await openGraph();
    const before = await zoomOf(page);
    await page.evaluate(`{
      const stage = document.querySelector("[data-stage]");
      const finger = (type, pointerId, clientX) => stage.dispatchEvent(
        new PointerEvent(type, { pointerId, clientX, clientY: 500, pointerType: "touch", bubbles: true, isPrimary: pointerId === 1 }));
      finger("pointerdown", 1, 600);
      finger("pointerdown", 2, 700);
      finger("pointermove", 2, 850);
      finger("pointerup", 2, 850);
      finger("pointerup", 1, 600);
    }`);
    await expect.poll(() => zoomOf(page)).toBeGreaterThan(before * 1.5);
  });

  test("the minimap appears while something is out of view, and a click in it moves there", async () => {
    const { page } = await openGraph();
    const minimap = page.locator(".mini");
    expect(await minimap.isVisible()).toBe(false);
    for (let presses = 0; presses < 6; presses++) await page.keyboard.press("+");
    await minimap.waitFor();
    const first = page.locator(".tc", { hasText: "The report came" });
    const box = await minimap.boundingBox();
    const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
    await page.mouse.click(x + 8, y + 8);
    await first.waitFor();
    await page.mouse.click(x + width - 8, y + height - 8);
    await first.waitFor({ state: "detached" });
    await page.keyboard.press("0");
    await minimap.waitFor({ state: "hidden" });
  });

  test("the graph follows the newest thought until the user moves it", async () => {
    const { page, observatory, sessionId } = await openGraph();
    const follow = page.locator(".follow");
    expect(await follow.textContent()).toBe("Following");
    await page.keyboard.press("1");
    const think = async (from: number, to: number) => {
      for (let n = from; n <= to; n++)
        await observatory.think(sessionId, `S${n}|E|S${n - 1}|Number ${n} of many`);
    };
    await think(7, 60);
    const stage = await page.locator("[data-stage]").boundingBox();
    const bottom = (stage?.y ?? 0) + (stage?.height ?? 0);
    await expect.poll(async () => (await placeOf(page, "Number 60 of many")).y).toBeLessThan(bottom);
    await page.mouse.move(empty.x, empty.y);
    await page.mouse.wheel(0, -20);
    await expect.poll(() => follow.textContent()).toBe("Follow");
    const seen = await placeOf(page, "Number 60 of many");
    await think(61, 100);
    await page.locator(".stat", { hasText: "104" }).waitFor();
    expect(await placeOf(page, "Number 60 of many")).toEqual(seen);
    await page.keyboard.press("f");
    await expect.poll(async () => (await placeOf(page, "Number 100 of many")).y).toBeLessThan(bottom);
  });

  test("a link to a thought shows it, even if newer ones are out of view", async () => {
    const { page, observatory, sessionId } = await openGraph();
    for (let n = 7; n <= 13; n++) await observatory.think(sessionId, `S${n}|E|S${n - 1}|Number ${n} of many`);
    await page.goto("about:blank");
    await page.goto(observatory.at(sessionId, "/10"));
    await page.getByRole("complementary", { name: "Thought" }).waitFor();
    await page.locator(".tc", { hasText: "Number 10 of many" }).waitFor();
    const stage = await page.locator("[data-stage]").boundingBox();
    const right = (stage?.x ?? 0) + (stage?.width ?? 0);
    await expect
      .poll(async () => {
        const box = await page.locator(".tc", { hasText: "Number 10 of many" }).boundingBox();
        return box ? box.x + box.width : Number.POSITIVE_INFINITY;
      })
      .toBeLessThan(right);
    expect(await page.locator(".follow").textContent()).toBe("Follow");
  });

  test("a link to a thought shows it above the sheet on a phone", async () => {
    const { page, observatory, sessionId } = await openGraph();
    for (let n = 7; n <= 40; n++) await observatory.think(sessionId, `S${n}|E|S${n - 1}|Number ${n} of many`);
    await page.goto("about:blank");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(observatory.at(sessionId, "/29?view=graph"));
    const sheet = page.getByRole("complementary", { name: "Thought" });
    await sheet.waitFor();
    const above = async (place: string) => {
      const [box, edge] = [await page.locator(place).boundingBox(), await sheet.boundingBox()];
      return box && edge ? edge.y - box.y - box.height : Number.NaN;
    };
    await expect.poll(() => above("[data-stage]")).toBeGreaterThanOrEqual(0);
    // Cards are elements only if they are large enough to read.
    await page.keyboard.press("1");
    await page.locator(".tc.sel").waitFor();
    await expect.poll(() => above(".tc.sel")).toBeGreaterThan(0);
    const tabs = await page.locator(".tabs").boundingBox();
    const edge = await sheet.boundingBox();
    expect((edge?.y ?? 0) + (edge?.height ?? 0)).toBeLessThanOrEqual(tabs?.y ?? 0);
  });
});
