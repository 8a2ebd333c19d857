import { STATE } from "../../model/beliefs.ts";
import { MAIN } from "../../model/columns.ts";
import { type Polyline, routeEdge } from "../../model/layout/routes.ts";
import { screenX, screenY } from "../camera.ts";
import { ARRIVAL, easeOut } from "../motion.ts";
import { expectedCell, type Scene } from "../scene.ts";
import { TIER, type Tier } from "../tiers.ts";
import { beginningOf, cornerRadius, type Surface, tracePolyline } from "./polylines.ts";

const KINDS = ["later", "dead", "branch", "main"] as const;
type Kind = (typeof KINDS)[number];
type Stroke = { colour: string; width: number };

function strokesOf({ theme }: Scene, tier: Tier): Record<Kind, Stroke> {
  const far = tier === TIER.grain;
  const thin = far ? 0.75 : 1.25;
  return {
    later: { colour: theme.line, width: 1 },
    dead: { colour: far ? theme.line : theme.lineStrong, width: thin },
    branch: { colour: theme.edge, width: thin },
    main: { colour: theme.edgeMain, width: far ? 1 : 1.75 },
  };
}

/** Draws the lines between thoughts, batched into one path for each kind. */
export function drawEdges(
  surface: Surface,
  scene: Scene,
  pages: readonly number[],
  tier: Tier,
  now: number,
): void {
  const { layout, camera, beliefs, columns, arriving } = scene;
  const { parent, chain } = columns;
  const lists: Record<Kind, Polyline[]> = { later: [], dead: [], branch: [], main: [] };
  const ends: { from: number; to: number; kind: Kind }[] = [];
  for (const p of pages)
    for (const i of layout.pages[p]?.thoughts ?? []) {
      const from = parent[i] as number;
      if (from < 0) continue;
      const state = beliefs.state[i];
      const kind: Kind =
        state === STATE.later
          ? "later"
          : state === STATE.deadEnd
            ? "dead"
            : chain[i] === MAIN
              ? "main"
              : "branch";
      const points = routeEdge(layout, from, i);
      if (!points) {
        if (tier >= TIER.tile) ends.push({ from, to: i, kind });
      } else if (tier !== TIER.grain || points.length > 4) {
        const since = arriving.size > 0 ? arriving.get(i) : undefined;
        const share = since === undefined ? 1 : easeOut((now - since) / ARRIVAL);
        lists[kind].push(share < 1 ? beginningOf(points, share) : points);
      }
    }
  const strokes = strokesOf(scene, tier);
  const radius = cornerRadius(camera, 9);
  for (const kind of KINDS) {
    if (lists[kind].length === 0) continue;
    surface.beginPath();
    for (const points of lists[kind]) tracePolyline(surface, camera, points, radius);
    surface.strokeStyle = strokes[kind].colour;
    surface.lineWidth = strokes[kind].width;
    surface.stroke();
  }
  for (const { from, to, kind } of ends) {
    if (chain[from] === chain[to]) fade(surface, scene, from, 1, strokes[kind]);
    fade(surface, scene, to, -1, strokes[kind]);
  }
}

/** Fades a line out to the right at the end of a row, and in from the left at the start. */
function fade(surface: Surface, scene: Scene, i: number, side: 1 | -1, stroke: Stroke): void {
  const { layout, camera } = scene;
  const { cardWidth, cardHeight } = layout.geometry;
  const y = screenY(camera, (layout.y[i] as number) + cardHeight / 2);
  const x = screenX(camera, (layout.x[i] as number) + (side > 0 ? cardWidth : 0));
  if (x < -60 || y < -10 || x > camera.width + 60 || y > camera.height + 10) return;
  const end = x + side * Math.min(30, 54 * camera.zoom);
  const gradient = surface.createLinearGradient(x, 0, end, 0);
  gradient.addColorStop(0, stroke.colour);
  gradient.addColorStop(1, `${stroke.colour}00`);
  surface.strokeStyle = gradient;
  surface.lineWidth = stroke.width;
  surface.beginPath();
  surface.moveTo(x, y);
  surface.lineTo(end, y);
  surface.stroke();
}

/** Highlights the path from the first thought to the selected one. */
export function drawPath(surface: Surface, scene: Scene, pages: readonly number[], tier: Tier): void {
  const { layout, camera, theme, columns } = scene;
  const stroke = { colour: theme.you, width: 2.25 };
  const radius = cornerRadius(camera, 9);
  surface.beginPath();
  const ends: [number, number][] = [];
  const inView = new Set(pages);
  for (
    let to = scene.selected, from = columns.parent[to] ?? -1;
    from >= 0;
    to = from, from = columns.parent[to] ?? -1
  ) {
    if (!layout.shown[to] || !inView.has(layout.page[to] as number)) continue;
    const points = routeEdge(layout, from, to);
    if (points) tracePolyline(surface, camera, points, radius);
    else ends.push([from, to]);
  }
  surface.strokeStyle = stroke.colour;
  surface.lineWidth = stroke.width;
  surface.stroke();
  if (tier < TIER.tile) return;
  for (const [from, to] of ends) {
    fade(surface, scene, from, 1, stroke);
    fade(surface, scene, to, -1, stroke);
  }
}

/** Draws the line from the head to the cell for the next thought. In the card tier, the cell itself is a card. */
export function drawExpectation(surface: Surface, scene: Scene, tier: Tier): void {
  const next = expectedCell(scene);
  if (!next) return;
  const { camera, layout, theme } = scene;
  const y = screenY(camera, next.y + layout.geometry.cardHeight / 2);
  surface.setLineDash([2, 3]);
  surface.strokeStyle = theme.edgeMain;
  surface.lineWidth = 1.5;
  surface.beginPath();
  surface.moveTo(screenX(camera, next.x - layout.geometry.gapX), y);
  surface.lineTo(screenX(camera, next.x), y);
  surface.stroke();
  if (tier < TIER.card) {
    const { cardWidth, cardHeight } = layout.geometry;
    surface.strokeStyle = theme.control;
    surface.lineWidth = 1;
    surface.beginPath();
    surface.roundRect(
      screenX(camera, next.x) + 0.5,
      screenY(camera, next.y) + 0.5,
      cardWidth * camera.zoom - 1,
      cardHeight * camera.zoom - 1,
      5,
    );
    surface.stroke();
  }
  surface.setLineDash([]);
}
