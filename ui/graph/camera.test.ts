import { describe, expect, test } from "vitest";
import { writeLongSession } from "../bench/long-session.ts";
import { NONE } from "../model/columns.ts";
import { createLayout } from "../model/layout/layout.ts";
import {
  brought,
  type Camera,
  fitted,
  fittedFew,
  pagesInView,
  readable,
  screenX,
  screenY,
  zoomedAt,
} from "./camera.ts";
import { mix, packed } from "./draw/colour.ts";
import { beginningOf } from "./draw/polylines.ts";
import { cardBeside, thoughtAt } from "./hit.ts";
import { TIER, tierOf } from "./tiers.ts";

const columns = writeLongSession(3000);
const layout = createLayout(columns);
const stage = { width: 1200, height: 700 };
const none = { left: 0, right: 0, top: 0, bottom: 0 };

describe("the camera", () => {
  test("keeps the point under the pointer in place while zooming", () => {
    const camera: Camera = { x: 100, y: 50, zoom: 0.5, ...stage };
    const next = { ...camera, ...zoomedAt(camera, 1.3, 300, 200) };
    const before = [camera.x + 300 / camera.zoom, camera.y + 200 / camera.zoom];
    expect(screenX(next, before[0] ?? 0)).toBeCloseTo(300);
    expect(screenY(next, before[1] ?? 0)).toBeCloseTo(200);
  });

  test("stays within its limits, however far the user zooms", () => {
    const camera: Camera = { x: 0, y: 0, zoom: 1, ...stage };
    expect(zoomedAt(camera, 99, 0, 0).zoom).toBe(2);
    expect(zoomedAt(camera, 0, 0, 0).zoom).toBeGreaterThan(0);
  });

  test("shows every page when the graph is fitted", () => {
    const camera: Camera = { x: 0, y: 0, zoom: 1, ...stage };
    const whole = { ...camera, ...fitted(layout, camera, none) };
    expect(pagesInView(layout, whole)).toEqual(layout.pages.map((_, p) => p));
  });

  test.each([600, 1044, 1204])("fits four thoughts and room for the next into a stage %i wide", (width) => {
    const few = writeLongSession(4);
    const small = createLayout(few);
    const camera: Camera = { x: 0, y: 0, zoom: 1, width, height: 640 };
    const margins = { left: 20, right: 20, top: 17, bottom: 50 };
    const whole = { ...camera, ...fittedFew(small, camera, few.size, margins) };
    const { cardWidth, pitchX } = small.geometry;
    const left = screenX(whole, Math.min(...small.x.slice(0, few.size)));
    const right = screenX(whole, Math.max(...small.x.slice(0, few.size)) + pitchX + cardWidth);
    expect(left).toBeGreaterThanOrEqual(20 - 1e-6);
    expect(right).toBeLessThanOrEqual(width - 20 + 1e-6);
    expect(left + right).toBeCloseTo(width);
    expect(whole.zoom === 1).toBe(width > 1200);
  });

  test("opens at the beginning with readable cards if the whole graph is too small to read", () => {
    const many = createLayout(writeLongSession(40));
    const camera: Camera = { x: 0, y: 0, zoom: 1, width: 700, height: 500 };
    const margins = { left: 20, right: 20, top: 17, bottom: 50 };
    const whole = fittedFew(many, camera, 40, margins);
    expect(tierOf(whole.zoom)).toBeLessThan(TIER.card);
    const opened = { ...camera, ...readable(whole, many, margins) };
    expect(tierOf(opened.zoom)).toBe(TIER.card);
    expect([screenX(opened, many.x[0] ?? 0), screenY(opened, many.y[0] ?? 0)]).toEqual([20, 17]);
    const large = { x: 1, y: 2, zoom: 0.9 };
    expect(readable(large, many, margins)).toBe(large);
  });

  test("includes every page with a thought inside the stage, and leaves out others", () => {
    const camera: Camera = { x: 2000, y: 1500, zoom: 0.5, ...stage };
    const pages = new Set(pagesInView(layout, camera));
    expect(pages.size).toBeLessThan(layout.pages.length);
    for (let i = 0; i < columns.size; i++) {
      const [x, y] = [screenX(camera, layout.x[i] ?? 0), screenY(camera, layout.y[i] ?? 0)];
      if (x > 0 && y > 0 && x < stage.width && y < stage.height)
        expect(pages.has(layout.page[i] ?? -1)).toBe(true);
    }
  });

  test("moves only if a card is outside, and then brings it inside", () => {
    const camera: Camera = { x: 0, y: 0, zoom: 1, ...stage };
    expect(brought(camera, { x: 500, y: 300, width: 196, height: 112 }, 0.15)).toMatchObject({ x: 0, y: 0 });
    const box = { x: 5000, y: 40, width: 196, height: 112 };
    const next = { ...camera, ...brought(camera, box, 0.15) };
    expect(screenX(next, box.x + box.width)).toBeCloseTo(0.85 * stage.width);
    expect(screenY(next, box.y)).toBeCloseTo(0.15 * stage.height);
  });
});

describe("looking up cards", () => {
  const camera: Camera = { x: 0, y: 0, zoom: 0.3, ...stage };

  test("finds the card under the pointer, and none between cards", () => {
    const inside = [screenX(camera, (layout.x[3] ?? 0) + 98), screenY(camera, (layout.y[3] ?? 0) + 56)];
    expect(thoughtAt(layout, camera, inside[0] ?? 0, inside[1] ?? 0)).toBe(3);
    expect(thoughtAt(layout, camera, 0, 0)).toBe(NONE);
  });

  test("finds the card below, and from there a card in the original row above", () => {
    const below = cardBeside(layout, 0, "below", columns.size);
    expect(layout.y[below] ?? 0).toBeGreaterThan(layout.y[0] ?? 0);
    expect(layout.y[cardBeside(layout, below, "above", columns.size)]).toBe(layout.y[0]);
    expect(cardBeside(layout, 0, "above", columns.size)).toBe(NONE);
    expect(cardBeside(layout, 0, "below", 0)).toBe(NONE);
  });
});

test("tiers change at 0.12, 0.28 and 0.5", () => {
  expect([0.119, 0.12, 0.279, 0.28, 0.499, 0.5].map(tierOf)).toEqual([
    TIER.grain,
    TIER.bead,
    TIER.bead,
    TIER.tile,
    TIER.tile,
    TIER.card,
  ]);
});

test("mixes colours by share and packs them for image data", () => {
  expect(mix("#000000", "#ffffff", 0.5)).toBe("#808080");
  expect(packed("#0a0b0d")).toBe(0xff0d0b0a);
});

test("a growing line is the beginning of the whole line", () => {
  const line = [0, 0, 10, 0, 10, 10];
  expect(beginningOf(line, 0.25)).toEqual([0, 0, 5, 0]);
  expect(beginningOf(line, 0.75)).toEqual([0, 0, 10, 0, 10, 5]);
  expect(beginningOf(line, 1)).toEqual(line);
  expect(beginningOf(line, 0).length).toBe(4);
});
