import type { Card } from "../../state/memory.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { CardChip, CardMeter } from "./card.tsx";

type Props = { cards: readonly Card[]; chosen: string | undefined; onChoose: (id: string) => void };

export const CardList = ({ cards, chosen, onChoose }: Props) => (
  <div class="clist">
    {cards.map((card) => (
      <button
        key={card.id}
        type="button"
        class={card.id === chosen ? "on" : ""}
        aria-pressed={card.id === chosen}
        onClick={() => onChoose(card.id)}
      >
        <CardChip type={card.type} hollow={card.status === "rejected"} />
        <span class="num">{card.id}</span>
        <span class="words">
          <PlainText text={card.title} />
        </span>
        <span class="dim">{card.status}</span>
        <CardMeter card={card} />
      </button>
    ))}
  </div>
);
