import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useObservatory } from "../basics/context.ts";
import { PAGE } from "../basics/steady-order.ts";

const AHEAD = "600px";
/** If there are more rows than this, only those near the visible part stay in the page. */
const VIRTUAL_ABOVE = 300;
/** Rows this far outside the visible area stay rendered. */
const NEAR = "1800px";

/**
 * Returns the number of rows to show. This number increases when the user scrolls near the end. After Back or
 * a reload, it is the same as when the user left the list.
 */
export function useEndless(total: number, wish: string) {
  const { navigation } = useObservatory();
  const [shown, setShown] = useState(() => ({ wish, count: navigation.kept()?.rows ?? PAGE }));
  const end = useRef<HTMLDivElement>(null);
  const count = shown.wish === wish ? shown.count : PAGE;
  useEffect(() => {
    const here = end.current;
    if (!here || count >= total) return;
    const watch = new IntersectionObserver(
      // A busy page gets several entries at once, oldest first.
      (entries) => entries.at(-1)?.isIntersecting && setShown({ wish, count: count + PAGE }),
      { root: here.closest("main"), rootMargin: AHEAD },
    );
    watch.observe(here);
    return () => watch.disconnect();
  }, [count, total, wish]);
  const rows = Math.min(count, total);
  useKeptPlace(end, rows);
  return [rows, end] as const;
}

const SETTLED = 200;

/** Remembers how far the list is scrolled and which row has the focus, and restores both once the rows are there. */
function useKeptPlace(end: { current: HTMLDivElement | null }, rows: number): void {
  const { navigation } = useObservatory();
  const kept = useRef(navigation.kept());
  useLayoutEffect(() => {
    const page = end.current?.closest("main");
    const place = kept.current;
    if (!page || !place || page.scrollHeight - page.clientHeight < place.top) return;
    kept.current = undefined;
    page.scrollTop = place.top;
    const row = place.row && page.querySelector<HTMLElement>(`[data-row][href="${CSS.escape(place.row)}"]`);
    if (row) row.focus({ preventScroll: true });
  });
  useEffect(() => {
    const page = end.current?.closest("main");
    if (!page) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = () => {
      if (kept.current) return;
      const row = document.activeElement?.closest("main [data-row]")?.getAttribute("href") ?? undefined;
      navigation.keep({ rows, top: page.scrollTop, row });
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(keep, SETTLED);
    };
    const takeOver = () => {
      kept.current = undefined;
    };
    page.addEventListener("scroll", later, { passive: true });
    page.addEventListener("focusin", later);
    page.addEventListener("click", keep, { capture: true });
    page.addEventListener("wheel", takeOver, { passive: true });
    addEventListener("pagehide", keep);
    return () => {
      clearTimeout(timer);
      page.removeEventListener("scroll", later);
      page.removeEventListener("focusin", later);
      page.removeEventListener("click", keep, { capture: true });
      page.removeEventListener("wheel", takeOver);
      removeEventListener("pagehide", keep);
    };
  }, [end, navigation, rows]);
}

type Props<Item> = {
  items: readonly Item[];
  row: (item: Item, before: Item | undefined) => ComponentChildren;
};

/** Shows a long list in pages. A page that is far away is replaced by empty space of the same height. */
export function Pages<Item>({ items, row }: Props<Item>) {
  const pages = Array.from({ length: Math.ceil(items.length / PAGE) }, (_, n) => n * PAGE);
  return (
    <>
      {pages.map((from) => (
        <Page key={from} isVirtual={items.length > VIRTUAL_ABOVE}>
          {() => items.slice(from, from + PAGE).map((item, at) => row(item, items[from + at - 1]))}
        </Page>
      ))}
    </>
  );
}

function Page({ isVirtual, children }: { isVirtual: boolean; children: () => ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const here = box.current;
    if (!here || !isVirtual) return;
    const watch = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (!entry) return;
        const isKept = entry.isIntersecting || here.contains(document.activeElement);
        setHeight(isKept ? undefined : entry.boundingClientRect.height);
      },
      { root: here.closest("main"), rootMargin: NEAR },
    );
    watch.observe(here);
    return () => watch.disconnect();
  }, [isVirtual]);
  const isAway = isVirtual && height !== undefined;
  return (
    <div ref={box} style={isAway ? { height: `${height}px` } : undefined}>
      {isAway ? null : children()}
    </div>
  );
}
