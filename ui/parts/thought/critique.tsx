import type { Thought } from "../../state/thought.ts";
import { formatClock } from "../../text/time-words.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ThoughtText } from "./thought-text.tsx";

export const CritiqueView = ({ critique }: { critique: NonNullable<Thought["critique"]> }) => (
  <section class="sec">
    <h3>Critique</h3>
    <div class="crit">
      <div class="by">
        <Icon name="quote" size={12} />
        <span>
          <PlainText text={critique.model} /> · {formatClock(Date.parse(critique.timestamp))}
        </span>
      </div>
      <ThoughtText text={critique.text} />
    </div>
  </section>
);
