import type { Camera } from "./camera.ts";
import type { Atlas } from "./draw/atlas.ts";
import { markColour } from "./draw/grains.ts";
import { type Scene, shadeOf } from "./scene.ts";

export type Minimap = {
  /** Draws the minimap, or hides it if everything is in view or the stage is narrow. */
  draw(density: number): void;
  destroy(): void;
};

const WIDTH = 168;
const PAD = 6;
const NARROW_STAGE = 820;
/** With at least this many thoughts, the map shows the session's picture instead of drawing each one. */
const MANY = 4000;
/** The picture is this much larger than the map, so that bars narrower than a pixel are averaged. */
const FINER = 4;

export function createMinimap(
  canvas: HTMLCanvasElement,
  scene: Scene,
  atlas: Atlas,
  moveTo: (x: number, y: number) => void,
): Minimap {
  const listening = new AbortController();
  canvas.hidden = true;
  let ground: OffscreenCanvas | undefined;
  let painted = "";

  function scaleOf() {
    const { width, height } = scene.layout.bounds();
    const tall = Math.max(60, Math.min(132, Math.round((WIDTH * height) / width)));
    const scale = Math.min((WIDTH - 2 * PAD) / width, (tall - 2 * PAD) / height);
    return { tall, scale, left: (WIDTH - width * scale) / 2, top: (tall - height * scale) / 2 };
  }

  function isAllInView(camera: Camera): boolean {
    const { geometry: g } = scene.layout;
    const { width, height } = scene.layout.bounds();
    // A single page ends at its last card, not at the end of its rows.
    const right =
      scene.layout.pages.length > 1
        ? width - g.right
        : Math.max(...scene.layout.x.subarray(0, scene.columns.size)) + g.cardWidth;
    return (
      camera.x <= g.left &&
      camera.y <= g.top &&
      camera.x + camera.width / camera.zoom >= right &&
      camera.y + camera.height / camera.zoom >= height - g.bottom
    );
  }

  function paintGround(density: number): OffscreenCanvas {
    const { tall, scale, left, top } = scaleOf();
    const picture = new OffscreenCanvas(WIDTH * density, tall * density);
    const surface = picture.getContext("2d") as OffscreenCanvasRenderingContext2D;
    surface.scale(density, density);
    const { layout, columns, theme, hits } = scene;
    const width = Math.max(1, layout.geometry.cardWidth * scale - 0.4);
    const height = Math.max(1, layout.geometry.cardHeight * scale - 0.2);
    if (columns.size > MANY) {
      const far = atlas.refresh(scale * density * FINER);
      surface.imageSmoothingQuality = "high";
      const grow = scale / far.scale;
      surface.drawImage(far.image, left, top, far.width * grow, far.height * grow);
    } else
      for (const page of layout.pages)
        for (const i of page.thoughts) {
          surface.fillStyle = markColour(theme, columns.type[i] as number, shadeOf(scene, i));
          surface.fillRect(
            left + (layout.x[i] as number) * scale,
            top + (layout.y[i] as number) * scale,
            width,
            height,
          );
        }
    if (hits) {
      surface.fillStyle = theme.hit;
      for (const i of hits)
        surface.fillRect(
          left + (layout.x[i] as number) * scale,
          top + (layout.y[i] as number) * scale,
          Math.max(2, width),
          Math.max(2, height),
        );
    }
    return picture;
  }

  function draw(density: number): void {
    const { camera, theme } = scene;
    canvas.hidden = camera.width < NARROW_STAGE || scene.columns.size < 2 || isAllInView(camera);
    if (canvas.hidden) return;
    const { tall, scale, left, top } = scaleOf();
    const key = `${scene.version} ${tall} ${density}`;
    if (key !== painted || !ground) {
      canvas.style.height = `${tall}px`;
      canvas.width = WIDTH * density;
      canvas.height = tall * density;
      ground = paintGround(density);
      painted = key;
    }
    const surface = canvas.getContext("2d");
    if (!surface) return;
    surface.setTransform(1, 0, 0, 1, 0, 0);
    surface.clearRect(0, 0, canvas.width, canvas.height);
    surface.drawImage(ground, 0, 0);
    surface.scale(density, density);
    surface.strokeStyle = theme.you;
    surface.lineWidth = 1;
    surface.globalAlpha = 0.9;
    const x = Math.max(0.5, left + camera.x * scale);
    const y = Math.max(0.5, top + camera.y * scale);
    const right = Math.min(WIDTH - 0.5, left + (camera.x + camera.width / camera.zoom) * scale);
    const bottom = Math.min(tall - 0.5, top + (camera.y + camera.height / camera.zoom) * scale);
    surface.strokeRect(x, y, right - x, bottom - y);
    surface.globalAlpha = 1;
  }

  const drag = (event: PointerEvent): void => {
    if (event.type === "pointermove" && event.buttons === 0) return;
    if (event.type === "pointerdown") canvas.setPointerCapture(event.pointerId);
    const box = canvas.getBoundingClientRect();
    const { scale, left, top } = scaleOf();
    moveTo((event.clientX - box.left - left) / scale, (event.clientY - box.top - top) / scale);
  };
  for (const type of ["pointerdown", "pointermove"] as const)
    canvas.addEventListener(type, drag, { signal: listening.signal });

  return { draw, destroy: () => listening.abort() };
}
