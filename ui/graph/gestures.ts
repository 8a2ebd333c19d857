/** Gestures on the stage, in its own pixels. */
export type GestureHandlers = {
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  /** Called for a click or a tap without movement. */
  press(x: number, y: number, isTouch: boolean): void;
  pressTwice(x: number, y: number): void;
  hover(x: number, y: number): void;
  leave(): void;
};

const MOVED = 4;
/** Pixels per line, for wheels that scroll by lines. */
const LINE = 16;

/** Pans with the wheel or a drag, and zooms with Ctrl or a pinch. Returns a function that stops listening. */
export function listenToHands(stage: HTMLElement, handlers: GestureHandlers): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const pointers = new Map<number, { x: number; y: number }>();
  let travelled = 0;
  let wasPinch = false;

  const place = (event: MouseEvent): { x: number; y: number } => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const isOurs = (event: Event): boolean =>
    !(event.target instanceof Element && event.target.closest("[data-over-graph]"));

  stage.addEventListener(
    "wheel",
    (event) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
      const { x, y } = place(event);
      if (event.ctrlKey || event.metaKey || event.altKey)
        handlers.zoom(Math.exp(-event.deltaY * unit * 0.0022), x, y);
      else if (event.shiftKey && event.deltaX === 0) handlers.pan(-event.deltaY * unit, 0);
      else handlers.pan(-event.deltaX * unit, -event.deltaY * unit);
    },
    { passive: false, signal },
  );
  stage.addEventListener(
    "pointerdown",
    (event) => {
      if (!isOurs(event) || event.button > 1) return;
      pointers.set(event.pointerId, place(event));
      if (pointers.size === 1) {
        travelled = 0;
        wasPinch = false;
      } else wasPinch = true;
    },
    { signal },
  );
  stage.addEventListener(
    "pointermove",
    (event) => {
      const before = pointers.get(event.pointerId);
      const now = place(event);
      if (!before) return handlers.hover(now.x, now.y);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, now);
      travelled += Math.hypot(now.x - before.x, now.y - before.y);
      if (other) {
        const ratio =
          Math.hypot(now.x - other.x, now.y - other.y) /
          Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
        handlers.zoom(ratio, (now.x + other.x) / 2, (now.y + other.y) / 2);
        handlers.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      } else if (travelled > MOVED) {
        // Capture the pointer only once it moves. If it were captured earlier, a click would go to the stage,
        // not the card.
        if (!stage.hasPointerCapture(event.pointerId)) stage.setPointerCapture(event.pointerId);
        stage.classList.add("dragging");
        handlers.pan(now.x - before.x, now.y - before.y);
      }
    },
    { signal },
  );
  const release = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return;
    if (pointers.size > 0) return;
    stage.classList.remove("dragging");
    if (event.type !== "pointerup" || travelled > MOVED || wasPinch || event.button !== 0) return;
    const { x, y } = place(event);
    handlers.press(x, y, event.pointerType === "touch");
  };
  stage.addEventListener("pointerup", release, { signal });
  stage.addEventListener("pointercancel", release, { signal });
  stage.addEventListener("pointerleave", () => handlers.leave(), { signal });
  stage.addEventListener(
    "dblclick",
    (event) => {
      if (!isOurs(event)) return;
      const { x, y } = place(event);
      handlers.pressTwice(x, y);
    },
    { signal },
  );
  return () => listening.abort();
}
