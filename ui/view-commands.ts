import type { Command, Hands } from "./command.ts";
import { NONE } from "./model/columns.ts";
import { TYPE_NAMES, type TypeLetter, typeCode } from "./model/thought-types.ts";
import { moves, neighbouringHit } from "./movement.ts";
import type { Observatory } from "./observatory.ts";
import { MEMORY_VIEWS, type MemoryRoute } from "./route-lists.ts";
import { remarksOn, sendRemark } from "./state/remarks.ts";

export const inSession = (o: Observatory) => o.route.value.view === "session";
export const hasSelection = (o: Observatory) =>
  inSession(o) && (o.watching.value?.selected.value ?? NONE) !== NONE;

export function moveCommands(
  o: Observatory,
  { moveRow, moveHit }: Pick<Hands, "moveRow" | "moveHit">,
): Command[] {
  const to = (index: number) => {
    if (index !== NONE) o.select(index);
  };
  const beside = (step: 1 | -1) => () => {
    const here = o.watching.peek();
    if (!here) return moveRow(step);
    const from = here.selected.peek();
    to(from === NONE ? 0 : (o.graph.peek()?.neighbour(from, step) ?? NONE));
  };
  const hit = (step: 1 | -1) => () => {
    const here = o.watching.peek();
    if (!here) return moveHit(step);
    to(neighbouringHit(here?.hits.peek() ?? [], here?.selected.peek() ?? NONE, step));
  };
  return [
    ...Object.entries(moves).map(([id, move]) => ({
      id,
      run: () => {
        const here = o.watching.peek();
        if (!here || o.route.peek().view !== "session") return;
        const { columns, moment } = here.picture.peek();
        const from = here.selected.peek();
        const starts = from === NONE && (id === "next" || id === "previous");
        to(
          starts
            ? moves.first(columns, from, moment)
            : from === NONE && id !== "first" && id !== "last"
              ? NONE
              : move(columns, from, moment),
        );
      },
    })),
    { id: "below", run: beside(1) },
    { id: "above", run: beside(-1) },
    { id: "next-hit", run: hit(1) },
    { id: "previous-hit", run: hit(-1) },
  ];
}

export function graphCommands(o: Observatory): Command[] {
  const graph = (run: (control: NonNullable<typeof o.graph.value>) => void) => () => {
    const control = o.graph.peek();
    if (control) run(control);
  };
  const isGraph = () => inSession(o) && o.view.value === "graph";
  const deadEnds = () => {
    const picture = o.watching.peek()?.picture.peek();
    return picture
      ? picture.columns.chains.flatMap(({ id }, c) => (picture.beliefs.deadChain[c] === 1 ? [id] : []))
      : [];
  };
  return [
    { id: "fit", words: "Fit", icon: "fit", isOffered: isGraph, run: graph((control) => control.fit()) },
    { id: "full-size", run: graph((control) => control.fullSize()) },
    { id: "zoom-in", run: graph((control) => control.zoomBy(1.25)) },
    { id: "zoom-out", run: graph((control) => control.zoomBy(0.8)) },
    { id: "page-up", run: graph((control) => control.page(-1)) },
    { id: "page-down", run: graph((control) => control.page(1)) },
    {
      id: "fold",
      words: "Fold this branch",
      icon: "down",
      isOffered: () => hasSelection(o),
      run: () => {
        const here = o.watching.peek();
        const branch =
          here && here.selected.peek() !== NONE ? here.nameOf(here.selected.peek()).branch : undefined;
        if (branch === undefined) return;
        const folded = new Set(o.folded.peek());
        if (!folded.delete(branch)) folded.add(branch);
        o.look({ folded: [...folded] });
      },
    },
    {
      id: "fold-dead-ends",
      words: "Fold dead ends",
      icon: "down",
      isOffered: () => inSession(o),
      run: () => o.look({ folded: [...new Set([...o.folded.peek(), ...deadEnds()])] }),
    },
    {
      id: "unfold-all",
      words: "Unfold all",
      icon: "down",
      isOffered: () => inSession(o) && o.folded.value.size > 0,
      run: () => o.look({ folded: [] }),
    },
    {
      id: "fold-actions",
      run: () => {
        const here = o.watching.peek();
        if (here && here.selected.peek() !== NONE) here.toggleActions(here.selected.peek());
      },
    },
    {
      id: "fold-all-actions",
      words: "Show or hide all actions",
      icon: "down",
      isOffered: () => inSession(o) && (o.watching.value?.session.done.value.all.length ?? 0) > 0,
      run: () => o.watching.peek()?.toggleActions("all"),
    },
    ...([5, 10] as const).map((columns) => ({
      id: `columns-${columns}`,
      words: `Columns ${columns}`,
      icon: "graph",
      isOffered: isGraph,
      run: () => {
        o.settings.columns.value = columns;
      },
    })),
    ...(Object.entries(TYPE_NAMES) as [TypeLetter, string][]).map(([letter, name]) => ({
      id: `only-${letter}`,
      words: `Show only type ${name}`,
      icon: "search",
      isOffered: () => inSession(o),
      run: () => o.watching.peek()?.toggleType(typeCode(letter)),
    })),
  ];
}

/** Returns the commands for a ★ or a comment on a thought. */
export function remarkCommands(o: Observatory): Command[] {
  const isOpen = () =>
    hasSelection(o) && o.server.value !== undefined && o.watching.value?.session.isLocal.value === false;
  return [
    {
      id: "star",
      words: "Star this thought",
      icon: "star",
      isOffered: isOpen,
      run: () => {
        const here = o.watching.peek();
        const server = o.server.peek();
        if (!here || !server || !isOpen()) return;
        const name = here.nameOf(here.selected.peek());
        const star = remarksOn(here.session.remarks.peek(), name)?.starredAt === undefined;
        void sendRemark(server.post, here.session, name, { star }).then((problem) => {
          if (problem !== undefined) o.tell({ title: "Not saved", words: problem });
        });
      },
    },
    {
      id: "comment",
      words: "Comment on this thought",
      icon: "quote",
      isOffered: isOpen,
      run: () => {
        const here = o.watching.peek();
        if (!here || !isOpen()) return;
        here.detailOpen.value = true;
        here.commenting.value = true;
      },
    },
  ];
}

/** Returns the commands on pages whose items are not thoughts: files and notebooks. */
export function pageCommands(o: Observatory, { moveRow }: Pick<Hands, "moveRow">): Command[] {
  const page = () => o.page.peek();
  const move = (step: 1 | -1) => () => (page()?.move ?? moveRow)(step);
  return [
    { id: "next-item", run: move(1) },
    { id: "previous-item", run: move(-1) },
    { id: "next-line", run: () => page()?.line?.(1) },
    { id: "previous-line", run: () => page()?.line?.(-1) },
    { id: "older-version", run: () => page()?.version?.(-1) },
    { id: "newer-version", run: () => page()?.version?.(1) },
    { id: "open-item", run: () => page()?.open?.() },
  ];
}

/** Returns the commands on the memory pages. */
export function memoryCommands(
  o: Observatory,
  { moveColumn, openFirstTask }: Pick<Hands, "moveColumn" | "openFirstTask">,
): Command[] {
  const go = (change: (route: MemoryRoute) => Partial<MemoryRoute>) => () => {
    const route = o.route.peek();
    if (route.view === "memory") o.navigation.go({ ...route, ...change(route) });
  };
  return [
    { id: "column-right", run: () => moveColumn(1) },
    { id: "column-left", run: () => moveColumn(-1) },
    // A card that has the focus handles the key itself.
    { id: "open-task", run: openFirstTask },
    {
      id: "next-conflict",
      run: go(({ item }) => {
        const conflicts = o.server.peek()?.memory.workspace.peek()?.conflicts ?? [];
        const at = conflicts.findIndex(({ conflict_id }) => conflict_id === item);
        return { as: "board", item: conflicts[(at + 1) % Math.max(1, conflicts.length)]?.conflict_id };
      }),
    },
    {
      id: "memory-view",
      run: go(({ as = "board" }) => {
        const at = MEMORY_VIEWS.indexOf(as);
        return { as: MEMORY_VIEWS[(at + 1) % MEMORY_VIEWS.length], item: undefined };
      }),
    },
  ];
}
