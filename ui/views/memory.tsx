import { useEffect, useState } from "preact/hooks";
import { Notice } from "../parts/basics/banner.tsx";
import { useObservatory } from "../parts/basics/context.ts";
import { CopyButton } from "../parts/basics/copy-button.tsx";
import { PlainText } from "../parts/basics/plain-text.tsx";
import { Segments } from "../parts/basics/segments.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { Board } from "../parts/memory/board.tsx";
import { CardDetail } from "../parts/memory/card-detail.tsx";
import { CardList } from "../parts/memory/card-list.tsx";
import { ConflictTable } from "../parts/memory/conflict.tsx";
import { SignalList } from "../parts/memory/signal-list.tsx";
import { TaskList } from "../parts/memory/task-list.tsx";
import { formatRoute, type MemoryRoute } from "../route.ts";
import type { Workspace } from "../state/memory.ts";
import { countOf } from "../text/count-words.ts";

const EXAMPLE =
  '{"operation":"think_card","args":{"card":{"type":"hypothesis","title":"The cache is stale"}}}';

/** A workspace, read-only: tasks, cards, signals, conflicts. */
export function MemoryView({ route }: { route: MemoryRoute }) {
  const o = useObservatory();
  const memory = o.server.value?.memory;
  const workspace = memory?.workspace.value;
  if (!memory) return null;
  // With the workspace, so that the address leads here from anywhere.
  const choose = (item: string | undefined) =>
    o.navigation.go({ ...route, workspace: workspace?.name ?? route.workspace, item });
  return (
    <>
      <TopBar title="Memory" project={workspace?.name ?? route.workspace} />
      <Rail on="memory">
        {workspace ? (
          <TaskList
            workspace={workspace}
            workspaces={memory.workspaces.value}
            onBranch={(name) => {
              memory.target.value = undefined;
              memory.branch.value = name;
            }}
            onTask={(id) => {
              memory.target.value = id;
              memory.branch.value = undefined;
            }}
            onWorkspace={(name) => o.navigation.go({ view: "memory", workspace: name, item: undefined })}
          />
        ) : (
          <div class="slist" />
        )}
      </Rail>
      <main class="mem" id="main">
        {workspace ? (
          <>
            <Cards workspace={workspace} item={route.item} onChoose={choose} />
            <Aside workspace={workspace} item={route.item} onChoose={choose} />
          </>
        ) : (
          <section class="board">
            {memory.state.value === "failed" ? (
              <Notice title="The memory cannot be read">{memory.failure.value}</Notice>
            ) : (
              <p class="dim">Reading …</p>
            )}
          </section>
        )}
      </main>
    </>
  );
}

type Props = { workspace: Workspace; item: string | undefined; onChoose: (item: string | undefined) => void };

function Cards({ workspace, item, onChoose }: Props) {
  const [as, setAs] = useState<"pipeline" | "list">("pipeline");
  const { cards, edges, signals, branch, conflicts } = workspace;
  const wanted = conflicts.find(({ conflict_id }) => conflict_id === item);
  const shown = wanted ? [wanted] : conflicts;
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
          Nothing to merge by hand into <PlainText text={branch} />.
        </p>
      )}
      {shown.length > 0 && (
        <div class="conflicts">
          {shown.slice(0, 5).map((conflict, at) => (
            <ConflictTable
              key={conflict.conflict_id}
              conflict={conflict}
              title={at === 0 ? countOf(conflicts.length, "merge conflict") : ""}
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

/** Whoever finds nothing here may be looking for what another workspace holds. */
function NoCards({ workspace: { name, tasks, plans } }: Pick<Props, "workspace">) {
  const inUse = useObservatory().server.value?.memory.inUse.value ?? [];
  const others = tasks.length + plans.length > 0 ? [] : inUse.filter((other) => other !== name);
  return (
    <Notice
      title="No cards yet"
      action={<CopyButton text={() => EXAMPLE} label="Copy an example call" words="Copy an example call" />}
    >
      Cards appear when an agent calls think_card or think_pipeline.
      {others.length > 0 && (
        <span class="elsewhere">
          There is memory in{" "}
          {others.slice(0, MOST_ELSEWHERE).map((other, at) => (
            <span key={other}>
              {at > 0 && ", "}
              <a href={formatRoute({ view: "memory", workspace: other, item: undefined })}>
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

function Aside({ workspace, item, onChoose }: Props) {
  const o = useObservatory();
  const memory = o.server.value?.memory;
  const card = workspace.cards.find(({ id }) => id === item);
  useEffect(() => {
    void memory?.lookAround(card?.id);
  }, [memory, card?.id]);
  return (
    <aside class="sigs" aria-label="Signals" tabIndex={0}>
      {card ? (
        <CardDetail
          card={card}
          around={memory?.around.value}
          signals={workspace.signals}
          onChoose={onChoose}
        />
      ) : (
        <SignalList signals={workspace.signals} onChoose={onChoose} />
      )}
    </aside>
  );
}
