import { STATE } from "../../model/beliefs.ts";
import { type Route, routeRevision } from "../../model/layout/routes.ts";
import { REVISION } from "../../model/thought-types.ts";
import { screenX, screenY } from "../camera.ts";
import type { Scene } from "../scene.ts";
import { TIER, type Tier } from "../tiers.ts";
import { cornerRadius, type Surface, tracePolyline } from "./polylines.ts";

/** Draws a line from each revision to the thought it replaces, with an arrow at the old one. */
export function drawRevisions(surface: Surface, scene: Scene, pages: readonly number[], tier: Tier): void {
  const { layout, theme, beliefs, columns, selected, hits, types } = scene;
  const colour = theme.type[REVISION] ?? theme.edge;
  surface.strokeStyle = colour;
  surface.fillStyle = colour;
  for (const p of pages)
    for (const i of layout.pages[p]?.thoughts ?? []) {
      const target = columns.revises[i] as number;
      if (target < 0 || beliefs.state[i] === STATE.later || !layout.shown[target]) continue;
      const route = routeRevision(layout, i, target);
      if (!route) continue;
      const isStrong = i === selected || target === selected;
      surface.globalAlpha = isStrong
        ? 1
        : hits || types
          ? 0.2
          : beliefs.state[i] === STATE.deadEnd
            ? 0.3
            : 0.7;
      surface.lineWidth = tier === TIER.grain ? 0.75 : isStrong ? 2 : 1.25;
      drawRoute(surface, scene, route, tier >= TIER.tile);
    }
  surface.globalAlpha = 1;
  drawFarLinks(surface, scene);
}

/** Draws a link between different pages only if its revision or the replaced thought is selected. */
function drawFarLinks(surface: Surface, { layout, camera, theme, columns, beliefs, selected }: Scene): void {
  if (selected < 0) return;
  const { cardWidth, cardHeight } = layout.geometry;
  const x = (i: number): number => screenX(camera, (layout.x[i] as number) + cardWidth / 2);
  const y = (i: number): number => screenY(camera, (layout.y[i] as number) + cardHeight / 2);
  for (const other of [columns.revises[selected] ?? -1, columns.revisedBy[selected] ?? -1]) {
    if (other < 0 || other > beliefs.moment || layout.page[other] === layout.page[selected]) continue;
    surface.strokeStyle = theme.you;
    surface.lineWidth = 1.25;
    surface.beginPath();
    surface.moveTo(x(selected), y(selected));
    surface.lineTo(x(other), y(other));
    surface.stroke();
  }
}

function drawRoute(surface: Surface, scene: Scene, { points, arcHeight }: Route, hasArrow: boolean): void {
  const { camera } = scene;
  const x = screenX(camera, points.at(-2) ?? 0);
  const y = screenY(camera, points.at(-1) ?? 0);
  surface.beginPath();
  if (arcHeight === undefined) tracePolyline(surface, camera, points, cornerRadius(camera, 7));
  else {
    const fromX = screenX(camera, points[0] ?? 0);
    const fromY = screenY(camera, points[1] ?? 0);
    const rise = arcHeight * 1.25 * camera.zoom;
    surface.moveTo(fromX, fromY);
    surface.bezierCurveTo(fromX, fromY - rise, x, y - rise, x, y);
  }
  surface.stroke();
  if (!hasArrow) return;
  const back = arcHeight === undefined ? 5.5 : -5.5;
  surface.beginPath();
  surface.moveTo(x, y);
  surface.lineTo(x - 3.5, y + back);
  surface.lineTo(x + 3.5, y + back);
  surface.fill();
}
