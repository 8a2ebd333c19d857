import { useComputed } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { NOW } from "../model/beliefs.ts";
import { NONE } from "../model/columns.ts";
import { type OutlineRow, outlineRows } from "../model/outline.ts";
import { Between, RunningRow } from "../parts/actions/between.tsx";
import { useNow } from "../parts/basics/clock.ts";
import { useObservatory } from "../parts/basics/context.ts";
import { BranchLine, ThoughtLine } from "../parts/session/outline-row.tsx";
import { livenessOf, runningOf } from "../state/liveness.ts";
import type { Watching } from "../state/watching.ts";

/** If there are more rows than this, only those near the visible part are in the page. */
const VIRTUAL_ABOVE = 400;
const ROW = 28;
const MARGIN = 30;

type Row = OutlineRow | { kind: "actions"; thought: number; level: number };

const keyOf = (row: Row): string => (row.kind === "branch" ? `b${row.chain}` : `${row.kind}${row.thought}`);

/** Inserts actions below the thought that they follow. */
const withActions = (rows: readonly OutlineRow[], { after }: Watching["session"]["done"]["value"]): Row[] =>
  after.size === 0
    ? [...rows]
    : rows.flatMap((row): Row[] =>
        row.kind === "thought" && after.has(row.thought)
          ? [row, { kind: "actions", thought: row.thought, level: row.level }]
          : [row],
      );

/** Shows the session as an indented list, a full alternative to the graph. */
export function Outline({ watching }: { watching: Watching }) {
  const o = useObservatory();
  const { columns, moment } = watching.picture.value;
  const rows = useComputed(() => {
    const picture = watching.picture.value;
    const plain = outlineRows(picture.columns, o.folded.value, picture.moment);
    return withActions(plain, watching.session.done.value);
  }).value;
  const selected = watching.selected.value;
  const box = useRef<HTMLDivElement>(null);
  const isVirtual = rows.length > VIRTUAL_ABOVE;
  const [first, last] = useWindow(box, rows.length, isVirtual);
  const at = rows.findIndex((row) => row.kind === "thought" && row.thought === selected);
  const current = Math.max(0, at);

  const isInPage = rows.length > 0 && (!isVirtual || (current >= first && current < last));

  useControl(rows, watching);
  const scrollTo = (index: number) => {
    if (index < 0 || !box.current) return;
    const shown = box.current.querySelector(`[data-row="${index}"]`);
    if (shown) shown.scrollIntoView({ block: "nearest" });
    else box.current.scrollTop = index * ROW - box.current.clientHeight / 2;
  };
  useLayoutEffect(() => scrollTo(at), [at]);
  const hits = watching.hits.value;
  const firstHit = useMemo(() => {
    const found = new Set(hits);
    return rows.findIndex((row) => row.kind === "thought" && found.has(row.thought));
  }, [rows, hits]);
  useLayoutEffect(() => {
    if (at < 0) scrollTo(firstHit);
  }, [firstHit]);
  useFollowing(box, watching, rows.length);
  useSelectedInView(box, at);

  const shown = isVirtual ? rows.slice(first, last) : rows;
  const thoughts = shown.flatMap((row) => (row.kind === "thought" ? [row.thought] : []));
  if (thoughts.length > 0)
    for (const thought of thoughts)
      if (columns.text[thought] === undefined) watching.words.want(thought, thought);
  const toggle = (id: string) => {
    const folded = new Set(o.folded.peek());
    if (!folded.delete(id)) folded.add(id);
    o.look({ folded: [...folded] });
  };
  return (
    <div
      class="outline"
      role="tree"
      aria-label="Thoughts"
      ref={box}
      tabIndex={0}
      aria-activedescendant={isInPage ? `row-${current}` : undefined}
      data-moment={moment}
    >
      {isVirtual && <div role="presentation" style={{ height: `${first * ROW}px` }} />}
      {shown.map((row, place) => {
        const index = isVirtual ? first + place : place;
        if (row.kind === "actions")
          return (
            <div
              key={keyOf(row)}
              id={`row-${index}`}
              class="btw"
              role="treeitem"
              aria-level={row.level + 1}
              aria-selected={false}
            >
              <Between
                watching={watching}
                thought={row.thought}
                isOpen={!isVirtual && watching.unfolded.value.has(row.thought)}
                onToggle={() =>
                  isVirtual ? o.select(row.thought, { open: true }) : watching.toggleActions(row.thought)
                }
              />
            </div>
          );
        return row.kind === "thought" ? (
          <ThoughtLine
            key={keyOf(row)}
            row={row}
            index={index}
            watching={watching}
            isSelected={row.thought === selected}
            onOpen={() => o.select(row.thought, { open: true })}
          />
        ) : (
          <BranchLine key={keyOf(row)} row={row} index={index} watching={watching} onToggle={toggle} />
        );
      })}
      {isVirtual && <div role="presentation" style={{ height: `${(rows.length - last) * ROW}px` }} />}
      <Running watching={watching} isShown={!isVirtual || last === rows.length} />
    </div>
  );
}

/** Shows what the agent is doing, below its newest thought. */
function Running({ watching, isShown }: { watching: Watching; isShown: boolean }) {
  const now = useNow();
  const info = watching.session.info.value;
  const running = info && watching.picture.value.moment === NOW ? runningOf(info, now) : undefined;
  if (!running || !isShown) return null;
  return (
    <div class="btw" role="treeitem" aria-level={1} aria-selected={false}>
      <RunningRow running={running} />
    </div>
  );
}

/** Returns the rows near the visible part of a scrolling list. */
function useWindow(
  box: { current: HTMLDivElement | null },
  count: number,
  isVirtual: boolean,
): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, 80]);
  useEffect(() => {
    const here = box.current;
    if (!here || !isVirtual) return;
    const read = () => {
      const from = Math.max(0, Math.floor(here.scrollTop / ROW) - MARGIN);
      const to = Math.min(count, from + Math.ceil(here.clientHeight / ROW) + 2 * MARGIN);
      setRange((now) => (now[0] === from && now[1] === to ? now : [from, to]));
    };
    read();
    here.addEventListener("scroll", read, { passive: true });
    return () => here.removeEventListener("scroll", read);
  }, [box, count, isVirtual]);
  return [Math.min(range[0], count), Math.min(range[1], count)];
}

/** Keeps the selected row in view if the panel makes the list smaller. */
function useSelectedInView(box: { current: HTMLDivElement | null }, at: number): void {
  useEffect(() => {
    const here = box.current;
    if (!here || at < 0) return;
    const sizes = new ResizeObserver(() =>
      here.querySelector(`[data-row="${at}"]`)?.scrollIntoView({ block: "nearest" }),
    );
    sizes.observe(here);
    return () => sizes.disconnect();
  }, [box, at]);
}

/** Makes the up and down keys move by rows in the outline. */
function useControl(rows: readonly Row[], watching: Watching): void {
  const o = useObservatory();
  useEffect(() => {
    const thoughts = rows.flatMap((row) => (row.kind === "thought" ? [row.thought] : []));
    const move = (from: number, by: number) =>
      thoughts[Math.min(thoughts.length - 1, Math.max(0, thoughts.indexOf(from) + by))] ?? NONE;
    const nothing = () => undefined;
    o.graph.value = {
      fit: nothing,
      fullSize: nothing,
      zoomBy: nothing,
      neighbour: move,
      page: (step) => o.select(move(watching.selected.peek(), step * 20)),
    };
    return () => {
      o.graph.value = undefined;
    };
  }, [o, rows, watching]);
}

/**
 * While the session is followed and nothing is selected, keeps the newest row in view. A session that an agent is
 * working on opens at its end.
 */
function useFollowing(box: { current: HTMLDivElement | null }, watching: Watching, rows: number): void {
  const { environment } = useObservatory();
  const info = watching.session.info.value;
  const isFollowed = info?.status === "active" && watching.follow.value;
  const isAtWork = info !== undefined && ["thinking", "open"].includes(livenessOf(info, environment.now()));
  useLayoutEffect(() => {
    const isWanted = isAtWork || watching.session.arrived.peek() > 0;
    if (box.current && isFollowed && isWanted && watching.selected.peek() === NONE)
      box.current.scrollTop = box.current.scrollHeight;
  }, [box, isFollowed, isAtWork, rows, watching]);
  useEffect(() => {
    const here = box.current;
    const stop = (event: Event) => {
      if (!(event instanceof WheelEvent) || event.deltaY < 0) watching.follow.value = false;
    };
    here?.addEventListener("wheel", stop, { passive: true });
    here?.addEventListener("touchmove", stop, { passive: true });
    return () => {
      here?.removeEventListener("wheel", stop);
      here?.removeEventListener("touchmove", stop);
    };
  }, [box, watching]);
}
