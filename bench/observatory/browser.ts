import { existsSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import installed from "../../scripts/chromium.json" with { type: "json" };

const { places, flags } = installed;
const viewport = { width: 1440, height: 900 };

/** Runs `work` with a browser. Returns `undefined` and writes a note to stderr if chromium is missing. */
export async function withBrowser<Outcome>(
  work: (browser: Browser) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  const executablePath = places.find((place) => existsSync(place));
  if (executablePath === undefined) {
    process.stderr.write(`\nbench: no chromium at ${places.join(", ")}: nothing is measured in a browser\n`);
    return undefined;
  }
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath, args: flags });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** Times on the page's clock, in milliseconds since the navigation began. */
type Opening = { lastData: number; firstPaint: number; longestTask: number };

/** Runs in the page before our code. Records when the last snapshot page arrives, and the graph's first frame. */
const watchOpening = `
window.opened = new Promise((resolve) => {
  const opening = { lastData: 0, firstPaint: 0, longestTask: 0 };
  const Plain = WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => {
        if (opening.lastData > 0 || typeof data !== "string") return;
        if (data.includes('"session:snapshot"') && data.includes('"isLast":true')) opening.lastData = performance.now();
      });
    }
  };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) opening.longestTask = Math.max(opening.longestTask, duration);
  }).observe({ type: "longtask", buffered: true });
  const look = () => {
    // A canvas is 300 pixels wide until the graph has drawn on it. The next frame begins when the drawing is on its way
    // to the screen.
    const ground = document.querySelector("canvas.ground");
    if (!ground || ground.width === 300) return requestAnimationFrame(look);
    opening.firstPaint = performance.now();
    // Long tasks are reported only after they have ended.
    setTimeout(() => resolve(opening), 100);
  };
  requestAnimationFrame(look);
});
`;

/** Opens a session in a browser that has never seen the page. */
export async function timeOpening(browser: Browser, address: string): Promise<Opening> {
  const context = await browser.newContext({ viewport });
  try {
    const page = await context.newPage();
    await page.addInitScript(watchOpening);
    await page.goto(address);
    return await page.evaluate<Opening>("opened");
  } finally {
    await context.close();
  }
}

/**
 * Runs in the page. `whenShown` returns the time at which a card with these words was first on screen, in milliseconds
 * since 1970.
 */
const watchCards = `
  const shownAt = new Map();
  const waiting = new Map();
  const show = (probe) => {
    shownAt.set(probe, performance.timeOrigin + performance.now());
    waiting.get(probe)?.(shownAt.get(probe));
  };
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll(".tc .x")) {
      const probe = /probe \\d+/.exec(textContent)?.[0];
      if (!probe || shownAt.has(probe)) continue;
      shownAt.set(probe, undefined);
      requestAnimationFrame(() => show(probe));
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
  window.whenShown = (probe) =>
    new Promise((resolve) => (shownAt.get(probe) ? resolve(shownAt.get(probe)) : waiting.set(probe, resolve)));
`;

export async function openSession(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage({ viewport });
  await page.addInitScript(watchCards);
  await page.goto(address);
  await page.locator(".tc").first().waitFor();
  return page;
}

/** Returns the milliseconds from `since` to the frame that showed the probe. */
export async function whenShown(page: Page, probe: string, since: number): Promise<number> {
  return Math.max(0, (await page.evaluate<number>(`whenShown(${JSON.stringify(probe)})`)) - since);
}
