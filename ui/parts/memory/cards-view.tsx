import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatRoute } from "../../route.ts";
import { memoryRoute } from "../../route-lists.ts";
import type { Workspace } from "../../state/memory.ts";
import { countOf } from "../../text/count-words.ts";
import { toVisible } from "../../text/visible-text.ts";
import { Notice } from "../basics/banner.tsx";
import { useObservatory } from "../basics/context.ts";
import { CopyButton } from "../basics/copy-button.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { SaveList } from "../basics/save-list.tsx";
import { Segments } from "../basics/segments.tsx";
import { Board } from "./board.tsx";
import { CardDetail } from "./card-detail.tsx";
import { CardList } from "./card-list.tsx";
import { ConflictTable } from "./conflict.tsx";
import { SignalList } from "./signal-list.tsx";

const EXAMPLE =
  '{"operation":"think_card","args":{"card":{"type":"hypothesis","title":"The cache is stale"}}}';

type Props = { workspace: Workspace; item: string | undefined; onChoose: (item: string | undefined) => void };

/** Shows cards as a pipeline or a list, with the conflicts of their branch below. */
export function CardsView({ workspace, item, onChoose, children }: Props & { children: ComponentChildren }) {
  const [as, setAs] = useState<"pipeline" | "list">("pipeline");
  const { cards, edges, signals, branch } = workspace;
  const conflicts = workspace.conflicts.filter(({ from, into }) => from === branch || into === branch);
  const elsewhere = workspace.conflictsTotal - conflicts.length;
  const wanted = conflicts.find(({ conflict_id }) => conflict_id === item);
  const shown = wanted ? [wanted] : conflicts;
  useEffect(() => {
    if (item !== undefined)
      document.querySelector(".board [aria-pressed=true]:is([data-card], .clist *)")?.scrollIntoView({
        block: "nearest",
        inline: "nearest",
      });
  }, [item, as]);
  return (
    <section class="board" aria-label="Cards" tabIndex={0}>
      <div class="bh">
        <h2>
          Cards{" "}
          <span class="mono dim">
            <PlainText text={workspace.target ?? branch} />
          </span>
        </h2>
        <span class="lg">
          <i class="ln s" />
          supports
        </span>
        <span class="lg">
          <i class="ln b" />
          blocks
        </span>
        <Segments
          label="Cards as"
          chosen={as}
          onChoose={setAs}
          segments={[
            { name: "pipeline", words: "Pipeline" },
            { name: "list", words: "List" },
          ]}
        />
        {cards.length > 0 && (
          <SaveList
            name={`cards-${workspace.name}`}
            rows={() =>
              cards.map(({ id, type, title, text, status, tags }) => ({
                id,
                type,
                title,
                text,
                status,
                tags: tags.join(" "),
              }))
            }
          />
        )}
        {children}
      </div>
      {cards.length === 0 ? (
        <NoCards workspace={workspace} />
      ) : as === "pipeline" ? (
        <Board cards={cards} edges={edges} signals={signals} chosen={item} onChoose={onChoose} />
      ) : (
        <CardList cards={cards} chosen={item} onChoose={onChoose} />
      )}
      {cards.length > 0 && conflicts.length === 0 && (
        <p class="dim merged">
          No merge conflicts on <PlainText text={branch} />.
        </p>
      )}
      {elsewhere > 0 && (
        <p class="dim merged">
          <a href={formatRoute(memoryRoute({ workspace: workspace.name, as: "board" }))}>
            {countOf(elsewhere, "merge conflict")} on other branches
          </a>
        </p>
      )}
      {shown.length > 0 && (
        <div class="conflicts">
          {shown.slice(0, 5).map((conflict, at) => (
            <ConflictTable
              key={conflict.conflict_id}
              conflict={conflict}
              title={at === 0 ? countOf(conflicts.length, "merge conflict") : conflict.key}
            />
          ))}
          {conflicts.length > shown.slice(0, 5).length && (
            <button type="button" class="more" onClick={() => onChoose(undefined)}>
              all {conflicts.length}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

const MOST_ELSEWHERE = 5;

/** If the workspace is unused, links to others, because the user may be looking for one of them. */
function NoCards({ workspace: { name, tasks, plans } }: Pick<Props, "workspace">) {
  const inUse = useObservatory().server.value?.memory.inUse.value ?? [];
  const others = tasks.length + plans.length > 0 ? [] : inUse.filter((other) => other !== name);
  const known = useObservatory().server.value?.memory.workspaces.value ?? [name];
  return (
    <Notice
      title={known.includes(name) ? "No cards yet" : `There is no workspace ${toVisible(name)}`}
      action={<CopyButton text={() => EXAMPLE} label="Copy an example call" words="Copy an example call" />}
    >
      Cards appear when an agent calls think_card or think_pipeline.
      {others.length > 0 && (
        <span class="elsewhere">
          Workspaces in use:{" "}
          {others.slice(0, MOST_ELSEWHERE).map((other, at) => (
            <span key={other}>
              {at > 0 && ", "}
              <a href={formatRoute(memoryRoute({ workspace: other }))}>
                <PlainText text={other} />
              </a>
            </span>
          ))}
          {others.length > MOST_ELSEWHERE && ` and ${others.length - MOST_ELSEWHERE} more`}.
        </span>
      )}
    </Notice>
  );
}

/** Shows the selected card, or the engine's signals for all cards. */
export function BesideCards({ workspace, item, onChoose }: Props) {
  const o = useObservatory();
  const memory = o.server.value?.memory;
  const card = workspace.cards.find(({ id }) => id === item);
  useEffect(() => {
    void memory?.lookAround(card?.id);
  }, [memory, card?.id]);
  return (
    <aside class={card ? "sigs sheet" : "sigs"} aria-label={card ? "Card" : "Signals"} tabIndex={0}>
      {card ? (
        <CardDetail
          card={card}
          around={memory?.around.value}
          signals={workspace.signals}
          decision={workspace.decisions.find(({ id }) => id === card.id)}
          onChoose={onChoose}
        />
      ) : (
        <SignalList signals={workspace.signals} hasCards={workspace.cards.length > 0} onChoose={onChoose} />
      )}
    </aside>
  );
}
