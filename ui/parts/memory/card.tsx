import { CARD_LETTERS } from "../../model/board.ts";
import type { Card } from "../../state/memory.ts";
import { Icon } from "../basics/icon.tsx";
import { Meter } from "../basics/meter.tsx";
import { PlainText } from "../basics/plain-text.tsx";

type Props = {
  card: Card;
  hasSignal: boolean;
  isChosen: boolean;
  onChoose: (id: string) => void;
  place?: { column: number; row: number };
};

export const CardChip = ({ type, hollow }: { type: string; hollow?: boolean }) => {
  const [letter, colour] = CARD_LETTERS[type] ?? ["N", "N"];
  return (
    <span class={`chip s k-${colour}${hollow ? " hollow" : ""}`} title={type}>
      {letter}
    </span>
  );
};

export const CardMeter = ({ card }: { card: Card }) =>
  card.confidence !== undefined ? (
    <Meter value={card.confidence} figure={card.confidence.toFixed(2)} label="confidence" />
  ) : card.score !== undefined ? (
    <Meter value={card.score / 100} figure={String(card.score)} label="evidence score" />
  ) : null;

/** Shows a memory card: ID, marks, title, status and confidence. */
export const CardView = ({ card, hasSignal, isChosen, onChoose, place }: Props) => {
  const [, colour] = CARD_LETTERS[card.type] ?? ["N", "N"];
  const isRejected = card.status === "rejected";
  const look = isRejected ? " rej" : card.type === "decision" && card.pinned ? " C" : "";
  return (
    <button
      type="button"
      class={`card k-${colour}${look}${isChosen ? " sel" : ""}`}
      data-card={card.id}
      aria-pressed={isChosen}
      style={place && { gridColumn: place.column, gridRow: place.row }}
      onClick={() => onChoose(card.id)}
    >
      <span class="h">
        <CardChip type={card.type} hollow={isRejected} />
        <span class="num">{card.id}</span>
        <span class="m">
          {hasSignal && (
            <span class="sg" title="signal">
              <Icon name="warn" />
            </span>
          )}
          {card.pinned && (
            <span title="pinned">
              <Icon name="pin" />
            </span>
          )}
        </span>
      </span>
      <span class="p">
        <PlainText text={card.title} />
      </span>
      <span class="f">
        <span>{card.status}</span>
        <CardMeter card={card} />
      </span>
    </button>
  );
};
