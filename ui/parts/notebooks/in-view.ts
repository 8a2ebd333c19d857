import { useEffect, useRef } from "preact/hooks";

const OWN_MOVES = ["wheel", "touchmove", "pointerdown", "keydown"];

/**
 * Scrolls an element into view, and keeps it there until the user scrolls, even if the content above it grows. Returns
 * the ref for the element that scrolls.
 */
export function useInView(id: string | undefined) {
  const scroller = useRef<HTMLElement>(null);
  useEffect(() => {
    const box = scroller.current;
    if (!box || id === undefined) return;
    const observer = new ResizeObserver(() =>
      document.getElementById(id)?.scrollIntoView({ block: "nearest" }),
    );
    for (const part of [box, ...box.children]) observer.observe(part);
    const stop = () => observer.disconnect();
    for (const move of OWN_MOVES) box.addEventListener(move, stop, { passive: true });
    return () => {
      stop();
      for (const move of OWN_MOVES) box.removeEventListener(move, stop);
    };
  }, [id]);
  return scroller;
}
