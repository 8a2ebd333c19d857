/** Columns of the pipeline. Questions, notes and updates are in `beside`. */
export const BOARD_COLUMNS = ["frame", "hypothesis", "test", "evidence", "decision", "beside"] as const;
export type BoardColumn = (typeof BOARD_COLUMNS)[number];

export type BoardCard = {
  id: string;
  type: string;
  status: string;
  pinned: boolean;
  /** Increases with every change, so the newest card has the highest number. */
  last_seq: number;
};
export type BoardEdge = { from: string; rel: string; to: string };
export type BoardPlace = { id: string; column: BoardColumn; row: number };

export type Board = {
  places: BoardPlace[];
  rows: number;
  /** Number of cards in each column that did not fit. */
  more: Record<BoardColumn, number>;
};

/** Letter and colour for each card type. */
export const CARD_LETTERS: Readonly<Record<string, readonly [letter: string, colour: string]>> = {
  frame: ["F", "N"],
  hypothesis: ["H", "H"],
  test: ["T", "P"],
  evidence: ["E", "E"],
  decision: ["D", "C"],
  question: ["Q", "Q"],
  note: ["N", "N"],
  update: ["U", "R"],
};

/** The maximum number of cards on the board. The list view contains all cards. */
const MOST_CARDS = 200;

export function columnOf(type: string): BoardColumn {
  const index = BOARD_COLUMNS.indexOf(type as BoardColumn);
  return index < 0 || type === "beside" ? "beside" : (BOARD_COLUMNS[index] as BoardColumn);
}

/** Sorts pinned cards first, then open ones, then newest first. */
function byImportance(a: BoardCard, b: BoardCard): number {
  const rank = (card: BoardCard) => (card.pinned ? 2 : 0) + (card.status === "open" ? 1 : 0);
  return rank(b) - rank(a) || b.last_seq - a.last_seq;
}

/**
 * Places a card that supports or blocks cards to its left in the row of the first of those cards, so that
 * chains form straight rows. Places every other card in the next free row of its column.
 */
export function layOutBoard(cards: readonly BoardCard[], edges: readonly BoardEdge[]): Board {
  const shown = new Set([...cards].sort(byImportance).slice(0, MOST_CARDS));
  const targets = new Map<string, string[]>();
  for (const { from, rel, to } of edges) {
    if (rel !== "supports" && rel !== "blocks") continue;
    const list = targets.get(from);
    if (list) list.push(to);
    else targets.set(from, [to]);
  }
  const rowOf = new Map<string, number>();
  const places: BoardPlace[] = [];
  const more = Object.fromEntries(BOARD_COLUMNS.map((name) => [name, 0])) as Record<BoardColumn, number>;
  let rows = 0;
  for (const column of BOARD_COLUMNS) {
    const own = cards.filter((card) => columnOf(card.type) === column);
    const visible = own.filter((card) => shown.has(card));
    more[column] = own.length - visible.length;
    const taken = new Set<number>();
    const anchored = visible.map((card) => {
      const anchor = targets.get(card.id)?.find((id) => rowOf.has(id));
      return { card, row: anchor === undefined ? -1 : (rowOf.get(anchor) ?? -1) };
    });
    // Cards with an anchor are placed first, in the order of their rows, so that a new card cannot bend a chain.
    anchored.sort((a, b) => (a.row < 0 ? 1 : 0) - (b.row < 0 ? 1 : 0) || a.row - b.row);
    let free = 0;
    for (const { card, row: wanted } of anchored) {
      let row = Math.max(wanted, 0);
      if (wanted < 0) row = free;
      while (taken.has(row)) row++;
      if (wanted < 0) free = row + 1;
      taken.add(row);
      rowOf.set(card.id, row);
      places.push({ id: card.id, column, row });
      rows = Math.max(rows, row + 1);
    }
  }
  return { places, rows, more };
}
