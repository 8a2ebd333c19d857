import { MAIN, NONE } from "./model/columns.ts";
import type { Observatory } from "./observatory.ts";
import { MAIN_NAME, sessionRoute } from "./route.ts";
import { sessionsRoute } from "./route-lists.ts";

/** Shows the selected thought in the panel, or the newest one if none is selected. */
export function openDetail(o: Observatory): void {
  const here = o.watching.peek();
  if (!here || o.route.peek().view !== "session") return;
  const selected = here.selected.peek();
  o.select(
    selected === NONE ? Math.min(here.session.columns.peek().size - 1, here.moment.peek()) : selected,
    { open: true },
  );
}

/**
 * On Escape, closes the topmost layer, then the panel, then clears the selection and the filters, and finally leaves
 * the view.
 */
export function backOut(o: Observatory): void {
  if (o.overlay.peek() !== "none") {
    o.overlay.value = "none";
    return;
  }
  const route = o.route.peek();
  const here = o.watching.peek();
  if (route.view === "compare") o.navigation.go(sessionRoute(route.session));
  else if (route.view === "memory" && route.item) o.navigation.go({ ...route, item: undefined });
  else if (route.view === "files" && route.line !== undefined)
    o.navigation.go({ ...route, line: undefined, to: undefined });
  else if (route.view === "notebooks" && route.cell)
    o.navigation.go({ view: "notebooks", notebook: route.notebook, cell: undefined });
  else if (route.view === "sessions" && route.search !== "") o.navigation.go({ ...route, search: "" });
  else if (route.view !== "session" || !here) return;
  else if (here.detailOpen.peek() && route.thought) here.detailOpen.value = false;
  else if (route.thought) o.select(NONE);
  else if (route.search !== "" || here.onlyTypes.peek().size > 0) {
    here.onlyTypes.value = new Set();
    o.look({ search: "" });
  } else if (route.moment !== undefined) o.player.toNow();
  else if (o.server.peek()) o.navigation.go(sessionsRoute());
}

/** Compares the selected branch with the line it forked from. On the main line, compares the newest branch. */
export function compare(o: Observatory): void {
  const here = o.watching.peek();
  if (!here) return;
  const { chain, chains } = here.session.columns.peek();
  const own = here.selected.peek() === NONE ? MAIN : (chain[here.selected.peek()] ?? MAIN);
  const branch = own === MAIN ? chains.length - 1 : own;
  const nameOf = (line: number) => chains[line]?.id || MAIN_NAME;
  o.navigation.go({
    view: "compare",
    session: here.session.id,
    other: undefined,
    left: nameOf(chains[branch]?.parentChain ?? MAIN),
    right: nameOf(branch),
  });
}
