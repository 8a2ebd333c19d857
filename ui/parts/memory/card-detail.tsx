import { formatRoute, sessionRoute } from "../../route.ts";
import type { Card, Decision, EngineSignal, Neighbourhood } from "../../state/memory.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { ThoughtText } from "../thought/thought-text.tsx";
import { CardChip, CardMeter } from "./card.tsx";
import { DecisionState } from "./decision-line.tsx";
import { GroundLine } from "./ground-line.tsx";
import { SignalRow } from "./signal-list.tsx";

type Props = {
  card: Card;
  around: Neighbourhood | undefined;
  signals: readonly EngineSignal[];
  decision: Decision | undefined;
  onChoose: (id: string | undefined) => void;
};

/** Returns the address of a thought, whose ID is `session:number` or `session:branch:number`. */
function thoughtHref(id: string): string {
  const [session = "", ...rest] = id.split(":");
  const number = Number(rest.at(-1));
  const branch = rest.length > 1 ? rest.slice(0, -1).join(":") : undefined;
  return formatRoute(sessionRoute(session, Number.isInteger(number) ? { thought: { branch, number } } : {}));
}

/** Shows one card, with its neighbours grouped by distance. */
export const CardDetail = ({ card, around, signals, decision, onChoose }: Props) => {
  const own = signals.filter(({ refs }) => refs.includes(card.id));
  return (
    <>
      <div class="cdh">
        <CardChip type={card.type} hollow={card.status === "rejected"} />
        <h2>{card.id}</h2>
        <button type="button" class="ib" aria-label="Close" onClick={() => onChoose(undefined)}>
          <Icon name="close" />
        </button>
      </div>
      <p class="cdt">
        <PlainText text={card.title} />
      </p>
      <div class="cdm">
        <span>
          {card.type} · {card.status}
        </span>
        <CardMeter card={card} />
      </div>
      {card.text !== undefined && card.text !== "" && <ThoughtText text={card.text} />}
      {decision ? <Decided decision={decision} /> : <GroundLine {...card} />}
      {card.tags.length > 0 && (
        <p class="dim">
          <PlainText text={card.tags.join(" ")} />
        </p>
      )}
      {card.thought !== undefined && (
        <section class="sec">
          <h3>Came from</h3>
          <a href={thoughtHref(card.thought)}>
            <PlainText text={card.thought} />
          </a>
        </section>
      )}
      <Around card={card} around={around} onChoose={onChoose} />
      {own.map((signal) => (
        <SignalRow key={signal.code} signal={signal} onChoose={onChoose} />
      ))}
    </>
  );
};

const Decided = ({ decision }: { decision: Decision }) => (
  <>
    <DecisionState decision={decision} />
    {decision.files !== undefined && decision.files.length > 0 && (
      <section class="sec">
        <h3>Rests on</h3>
        {decision.files.map((file) => (
          <a key={file} class="fl2" href={fileHref(file)}>
            <PlainText text={file} />
          </a>
        ))}
      </section>
    )}
  </>
);

/** Returns the address of a file, such as `src/pool.ts`, or of its lines, such as `src/pool.ts:14-21`. */
function fileHref(file: string): string {
  const [, path = file, line] = /^(.*?):(\d+)(?:-\d+)?$/.exec(file) ?? [];
  return formatRoute({ view: "files", path, line: line === undefined ? undefined : Number(line) });
}

const Around = ({ card, around, onChoose }: Pick<Props, "card" | "around" | "onChoose">) => {
  const nodes = (around?.nodes ?? []).filter(({ id }) => id !== card.id).slice(0, 200);
  if (nodes.length === 0) return null;
  const relation = (id: string) => {
    const edge = around?.edges.find(
      ({ from, to }) => (from === card.id && to === id) || (to === card.id && from === id),
    );
    if (!edge) return "";
    return edge.from === card.id ? edge.rel : `${edge.rel} this`;
  };
  return (
    <>
      {[1, 2, 3].map((distance) => {
        const near = nodes.filter((node) => (node.distance ?? 1) === distance);
        return (
          near.length > 0 && (
            <section key={distance} class="sec">
              <h3>
                {distance === 1 ? "Next to it" : `${distance} steps away`}
                <span>{near.length}</span>
              </h3>
              <div class="clist">
                {near.map((node) => (
                  <button key={node.id} type="button" onClick={() => onChoose(node.id)}>
                    <CardChip type={node.type} hollow={node.status === "rejected"} />
                    <span class="words">
                      <PlainText text={node.title ?? node.id} />
                    </span>
                    <span class="dim">{relation(node.id)}</span>
                  </button>
                ))}
              </div>
            </section>
          )
        );
      })}
    </>
  );
};
