import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { BOARD_COLUMNS, type BoardColumn, columnOf, layOutBoard } from "../../model/board.ts";
import type { Card, CardEdge, EngineSignal } from "../../state/memory.ts";
import { CardView } from "./card.tsx";

type Props = {
  cards: readonly Card[];
  edges: readonly CardEdge[];
  signals: readonly EngineSignal[];
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
};
type Wire = { kind: "s" | "b"; path: string };

const title = (column: BoardColumn): string => (column[0] ?? "").toUpperCase() + column.slice(1);

/** Shows cards in the columns of the pipeline. Chains form straight rows. */
export function Board({ cards, edges, signals, chosen, onChoose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const board = useMemo(() => layOutBoard(cards, edges), [cards, edges]);
  const byId = new Map(cards.map((card) => [card.id, card]));
  const signalled = new Set(signals.flatMap(({ refs }) => refs));
  const columns = BOARD_COLUMNS.filter(
    (name) => name !== "beside" || cards.some(({ type }) => columnOf(type) === name),
  );
  const wires = useWires(box, edges, board);
  return (
    <div class={`pipe c${columns.length}`} ref={box}>
      <svg class="wires" aria-hidden="true">
        {wires.map(({ kind, path }, at) => (
          <path key={at} class={kind} d={path} />
        ))}
      </svg>
      {columns.map((name, at) => (
        <h3
          key={name}
          title={name === "beside" ? "Questions, notes and updates" : undefined}
          style={{ gridColumn: at + 1, gridRow: 1 }}
        >
          {title(name)}
          <span class="num">{cards.filter(({ type }) => columnOf(type) === name).length}</span>
        </h3>
      ))}
      {board.places.map(({ id, column, row }) => {
        const card = byId.get(id);
        return (
          card && (
            <CardView
              key={id}
              card={card}
              hasSignal={signalled.has(id)}
              isChosen={id === chosen}
              onChoose={(next) => onChoose(next === chosen ? undefined : next)}
              place={{ column: columns.indexOf(column) + 1, row: row + 2 }}
            />
          )
        );
      })}
      {columns.map(
        (name, at) =>
          board.more[name] > 0 && (
            <p key={name} class="dim" style={{ gridColumn: at + 1, gridRow: board.rows + 2 }}>
              {board.more[name]} more
            </p>
          ),
      )}
    </div>
  );
}

/** Draws lines between cards. Measures the cards after they are placed. */
function useWires(
  box: { current: HTMLDivElement | null },
  edges: readonly CardEdge[],
  board: unknown,
): Wire[] {
  const [wires, setWires] = useState<Wire[]>([]);
  useLayoutEffect(() => {
    const here = box.current;
    if (!here) return;
    const draw = () => setWires(edges.flatMap((edge) => wireOf(here, edge)));
    const observer = new ResizeObserver(draw);
    observer.observe(here);
    draw();
    return () => observer.disconnect();
  }, [box, edges, board]);
  return wires;
}

const TURN = 7;

function wireOf(box: HTMLElement, { from, rel, to }: CardEdge): Wire[] {
  const find = (id: string) => box.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`);
  const [a, b] = [find(from), find(to)];
  const kind = rel === "blocks" ? "b" : rel === "supports" ? "s" : undefined;
  if (!a || !b || !kind || a.offsetLeft === b.offsetLeft) return [];
  const [left, right] = a.offsetLeft < b.offsetLeft ? [a, b] : [b, a];
  const x1 = left.offsetLeft + left.offsetWidth;
  const y1 = left.offsetTop + 16;
  const x2 = right.offsetLeft;
  const y2 = right.offsetTop + 16;
  const turn = x2 - 10;
  const sign = y2 < y1 ? -TURN : TURN;
  const bend =
    Math.abs(y2 - y1) < 2
      ? ""
      : `H${turn - TURN}q${TURN} 0 ${TURN} ${sign}V${y2 - sign}q0 ${sign} ${TURN} ${sign}`;
  const wire: Wire = { kind, path: `M${x1} ${y1}${bend}H${x2}` };
  // The blocked card gets a bar.
  const barX = b === left ? x1 + 4 : x2 - 4;
  const barY = b === left ? y1 : y2;
  return kind === "b" ? [wire, { kind, path: `M${barX} ${barY - 5}v10` }] : [wire];
}
