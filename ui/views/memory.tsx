import { useEffect } from "preact/hooks";
import { Notice, Reading, Unreadable } from "../parts/basics/banner.tsx";
import { useObservatory } from "../parts/basics/context.ts";
import { Keys } from "../parts/basics/key-line.tsx";
import { Segments } from "../parts/basics/segments.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { BesideBoard } from "../parts/memory/beside-board.tsx";
import { BesideCards, CardsView } from "../parts/memory/cards-view.tsx";
import { ConflictTable } from "../parts/memory/conflict.tsx";
import { Kanban } from "../parts/memory/kanban.tsx";
import { MemoryRail } from "../parts/memory/memory-rail.tsx";
import { NotesView } from "../parts/memory/notes-view.tsx";
import { TaskPanel } from "../parts/memory/task-panel.tsx";
import { formatRoute } from "../route.ts";
import { type MemoryRoute, memoryRoute } from "../route-lists.ts";
import type { Memory, Workspace } from "../state/memory.ts";

/** Shows a read-only workspace: a plan as a board, cards, notes, and the conflicts on every branch. */
export function MemoryView({ route }: { route: MemoryRoute }) {
  const o = useObservatory();
  const memory = o.server.value?.memory;
  const workspace = memory?.workspace.value;
  if (!memory) return null;
  // The address includes the workspace, so that it works from anywhere.
  const go = (change: Partial<MemoryRoute>) =>
    o.navigation.go({ ...route, workspace: workspace?.name ?? route.workspace, ...change });
  const isCard = workspace?.cards.some(({ id }) => id === route.item) === true;
  const isConflict = workspace?.conflicts.some(({ conflict_id }) => conflict_id === route.item) === true;
  const hasBoard = (workspace && workspace.plans.length > 0 && !isCard) || isConflict;
  const as = route.as ?? (hasBoard ? "board" : "cards");
  const shown = { ...route, as };
  return (
    <>
      <TopBar title="Memory" project={workspace?.name ?? route.workspace} />
      <Rail on="memory">
        {workspace ? (
          <MemoryRail
            workspace={workspace}
            workspaces={memory.workspaces.value}
            route={shown}
            onBranch={(name) => {
              // Plans and tasks keep their cards in separate documents, not in the branch's usual one.
              memory.target.value = /^(?:plan|task)\/((?:PLAN|TASK)-\d+)$/.exec(name)?.[1];
              memory.branch.value = name;
              go({ as: "cards", item: undefined });
            }}
            onWorkspace={(name) => o.navigation.go(memoryRoute({ workspace: name }))}
            onGo={go}
          />
        ) : (
          <div class="slist" />
        )}
      </Rail>
      {workspace ? (
        <Shown workspace={workspace} memory={memory} route={shown} go={go} />
      ) : (
        <main class="mem" id="main">
          <section class="board">
            {memory.state.value === "failed" ? (
              <Unreadable what="the memory" words={memory.failure.value} onAgain={memory.again} />
            ) : (
              <Reading rows={2} />
            )}
          </section>
        </main>
      )}
    </>
  );
}

type As = NonNullable<MemoryRoute["as"]>;
type Props = {
  workspace: Workspace;
  memory: Memory;
  route: MemoryRoute & { as: As };
  go: (change: Partial<MemoryRoute>) => void;
};

function Shown({ workspace, memory, route, go }: Props) {
  const choose = (item: string | undefined) => go({ item });
  const views = (
    <Segments<As>
      label="Memory as"
      chosen={route.as}
      onChoose={(as) => go({ as, item: undefined })}
      segments={[
        { name: "board", words: "Board" },
        { name: "cards", words: "Cards" },
        { name: "notes", words: "Notes" },
      ]}
    />
  );
  const isCard = workspace.cards.some(({ id }) => id === route.item);
  if (route.as === "cards")
    return (
      <main class={isCard ? "mem with-card" : "mem"} id="main">
        <CardsView workspace={workspace} item={route.item} onChoose={choose}>
          {views}
        </CardsView>
        <BesideCards workspace={workspace} item={route.item} onChoose={choose} />
      </main>
    );
  const task = route.as === "board" ? workspace.tasks.find(({ id }) => id === route.item) : undefined;
  return (
    <main class={task ? "mb with-task" : "mb"} id="main" tabIndex={-1}>
      <section class="mbb" aria-label={route.as === "board" ? "Board" : "Notes"} tabIndex={0}>
        {views}
        {route.as === "board" ? (
          <PlanBoard workspace={workspace} route={route} go={go} />
        ) : (
          <NotesView workspace={workspace} />
        )}
      </section>
      <BesideBoard
        workspace={workspace}
        chosen={route.item}
        onConflict={(id) => go({ as: "board", item: route.item === id ? undefined : id })}
        allNotes={
          route.as === "notes"
            ? undefined
            : formatRoute({ ...route, workspace: workspace.name, as: "notes", item: undefined })
        }
      >
        {task && (
          <TaskPanel
            workspace={workspace.name}
            task={task}
            onCards={(item) => {
              memory.branch.value = undefined;
              memory.target.value = task.id;
              go({ as: "cards", item });
            }}
            onClose={() => choose(undefined)}
          />
        )}
      </BesideBoard>
    </main>
  );
}

function PlanBoard({ workspace, route, go }: Omit<Props, "memory">) {
  const { plans, tasks, conflicts, hasMoreTasks } = workspace;
  const task = tasks.find(({ id }) => id === route.item);
  const plan = plans.find(({ id }) => id === (route.plan ?? task?.plan)) ?? plans[0];
  const conflict = conflicts.find(({ conflict_id }) => conflict_id === route.item);
  useEffect(() => {
    if (conflict) document.querySelector(".mbb .conflicts")?.scrollIntoView({ block: "nearest" });
  }, [conflict?.conflict_id]);
  return (
    <>
      {plan ? (
        <Kanban
          // Plans in different workspaces have the same IDs.
          key={`${workspace.name} ${plan.id}`}
          plan={plan}
          tasks={tasks.filter((one) => one.plan === plan.id)}
          hasMore={hasMoreTasks}
          chosen={task?.id}
          onChoose={(id) => go({ item: route.item === id ? undefined : id })}
        />
      ) : (
        <Notice title="No plans yet">Tasks appear when an agent creates a plan with tasks_create.</Notice>
      )}
      {conflict && (
        <div class="conflicts">
          <ConflictTable conflict={conflict} title={conflict.key} />
        </div>
      )}
      <Keys
        keys={[
          ["h l", "column"],
          ["j k", "card"],
          ["↵", "open task"],
          ["x", "next conflict"],
          ["v", "board, cards, notes"],
        ]}
      />
    </>
  );
}
