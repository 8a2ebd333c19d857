import { expectedCell, type Scene } from "../scene.ts";
import { BIG_CARDS } from "../tiers.ts";
import { type CardElement, createCard } from "./card-element.ts";
import { faceOf } from "./card-face.ts";

export type Cards = {
  readonly layer: HTMLElement;
  /** Shows the cards on these pages that are in view. */
  show(pages: readonly number[]): ShownCards;
  hide(): void;
  /** Returns the thoughts that currently have a card. */
  shown(): Iterable<number>;
};

/** `wordless`: thoughts without loaded text. `isRough`: cards are only scaled, and need another frame. */
export type ShownCards = { wordless: number[]; isRough: boolean };

function durationOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

/** Cards up to this many pixels outside the stage are kept, so that a small move creates no new cards. */
const AROUND = 60;
const MOST_SPARE = 200;
/**
 * While the zoom changes, cards are only scaled. Once the zoom differs by this share, they are laid out
 * again.
 */
const NEARBY = 0.2;

/**
 * Places cards at world × zoom in one layer. Panning sets one transform and touches only cards that enter or
 * leave the view. Card sizes are properties of the layer, so a zoom writes them once. Changing them lays out
 * every card again, so the layer is only scaled during a zoom, and the sizes are set when it ends.
 */
export function createCards(scene: Scene, toVisible: (text: string) => string): Cards {
  const layer = document.createElement("div");
  layer.className = "cards";
  const inUse = new Map<number, CardElement>();
  const spare: CardElement[] = [];
  const waiting = document.createElement("div");
  waiting.className = "tc wait";
  let version = -1;
  /** The zoom for which the cards were laid out. */
  let zoom = 0;
  let wanted = 0;
  let layout = scene.layout;

  function resize(): void {
    const { cardWidth, cardHeight } = scene.layout.geometry;
    const height = Math.round(cardHeight * zoom);
    const isBig = zoom >= BIG_CARDS;
    const lines = Math.max(1, Math.floor((height - (isBig ? 38 : 18)) / (isBig ? 16.5 : 13)));
    layer.style.setProperty("--card-width", `${Math.round(cardWidth * zoom)}px`);
    layer.style.setProperty("--card-height", `${height}px`);
    layer.style.setProperty("--lines", String(lines));
  }

  function release(i: number, card: CardElement): void {
    inUse.delete(i);
    card.element.remove();
    if (spare.length < MOST_SPARE) spare.push(card);
  }

  const place = (card: CardElement, i: number): void =>
    card.moveTo(Math.round((layout.x[i] as number) * zoom), Math.round((layout.y[i] as number) * zoom));

  function showWaiting(): void {
    const next = expectedCell(scene);
    if (!next) {
      waiting.remove();
      return;
    }
    const since = Date.now() - (scene.columns.time[scene.columns.size - 1] ?? 0);
    const text = `thinking\n${durationOf(since)}`;
    if (waiting.textContent !== text) waiting.textContent = text;
    waiting.style.transform = `translate(${Math.round(next.x * zoom)}px,${Math.round(next.y * zoom)}px)`;
    if (!waiting.isConnected) layer.append(waiting);
  }

  /** Returns whether cards have to be placed again. */
  function follow(next: number): boolean {
    const isZooming = wanted !== next && inUse.size > 0 && Math.abs(next / zoom - 1) < NEARBY;
    wanted = next;
    if (layout === scene.layout && (zoom === next || isZooming)) return false;
    zoom = next;
    layout = scene.layout;
    resize();
    return true;
  }

  function show(pages: readonly number[]): ShownCards {
    const { camera } = scene;
    const isMoved = follow(camera.zoom);
    const isChanged = version !== scene.version;
    version = scene.version;
    const isBig = zoom >= BIG_CARDS;
    const { cardWidth, cardHeight } = layout.geometry;
    const around = AROUND / camera.zoom;
    const left = camera.x - around - cardWidth;
    const top = camera.y - around - cardHeight;
    const right = camera.x + camera.width / camera.zoom + around;
    const bottom = camera.y + camera.height / camera.zoom + around;
    const inView = new Set<number>();
    for (const p of pages)
      for (const i of layout.pages[p]?.thoughts ?? []) {
        const x = layout.x[i] as number;
        const y = layout.y[i] as number;
        if (x >= left && x <= right && y >= top && y <= bottom) inView.add(i);
      }
    for (const [i, card] of inUse) if (!inView.has(i)) release(i, card);
    const wordless: number[] = [];
    for (const i of inView) {
      if (scene.columns.text[i] === undefined) wordless.push(i);
      let card = inUse.get(i);
      if (card && !isChanged && !isMoved) continue;
      if (!card) {
        card = spare.pop() ?? createCard();
        inUse.set(i, card);
        card.show(faceOf(scene, i, isBig, toVisible));
        place(card, i);
        layer.append(card.element);
        continue;
      }
      card.show(faceOf(scene, i, isBig, toVisible));
      if (isMoved) place(card, i);
    }
    showWaiting();
    const [x, y] = [-Math.round(camera.x * camera.zoom), -Math.round(camera.y * camera.zoom)];
    const isRough = zoom !== camera.zoom;
    layer.style.transform = `translate(${x}px,${y}px)${isRough ? ` scale(${camera.zoom / zoom})` : ""}`;
    return { wordless, isRough };
  }

  return {
    layer,
    show,
    shown: () => inUse.keys(),
    hide() {
      if (inUse.size === 0 && !waiting.isConnected) return;
      for (const [i, card] of inUse) release(i, card);
      waiting.remove();
    },
  };
}
