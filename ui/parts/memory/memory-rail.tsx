import type { MemoryRoute } from "../../route-lists.ts";
import type { Workspace } from "../../state/memory.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { toVisible } from "../../text/visible-text.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

type Props = {
  workspace: Workspace;
  workspaces: readonly string[];
  route: MemoryRoute;
  onBranch: (name: string) => void;
  onWorkspace: (name: string) => void;
  onGo: (change: Partial<MemoryRoute>) => void;
};

const cardWords = ({ count, has_more }: { count: number; has_more: boolean }): string =>
  has_more ? `${formatCount(count)}+ cards` : countOf(count, "card");

/** Shows the plans, branches, notes and documents in a workspace. Marks branches that cannot be merged. */
export function MemoryRail({ workspace, workspaces, route, onBranch, onWorkspace, onGo }: Props) {
  const { name: shown, plans, tasks, branches, branch, conflicts, docs } = workspace;
  const offered = workspaces.includes(shown) ? workspaces : [shown, ...workspaces];
  const planShown = route.plan ?? plans[0]?.id;
  return (
    <div class="tasks" tabIndex={0} role="group" aria-label="Plans and branches">
      {offered.length > 1 && (
        <label class="workspace">
          <span class="off-screen">Workspace</span>
          <select value={shown} onChange={(event) => onWorkspace(event.currentTarget.value)}>
            {offered.map((name) => (
              <option key={name} value={name} disabled={!workspaces.includes(name)}>
                {workspaces.includes(name) ? toVisible(name) : `${toVisible(name)} (unknown)`}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </label>
      )}
      <h2>Plans</h2>
      {plans.length === 0 && <p class="dim">No plans yet.</p>}
      {plans.map(({ id, title }) => {
        const own = tasks.filter(({ plan }) => plan === id);
        const isOn = id === planShown && route.as !== "cards" && route.as !== "notes";
        return (
          <button
            key={id}
            type="button"
            class={isOn ? "fc on" : "fc"}
            aria-pressed={isOn}
            onClick={() => onGo({ plan: id, as: "board", item: undefined })}
          >
            <PlainText text={title} />
            <span class="num">
              {own.filter(({ state }) => state === "done").length}/{own.length}
              {workspace.hasMoreTasks && "+"}
            </span>
          </button>
        );
      })}
      {branches.length > 0 && <h2>Branches</h2>}
      <div class="brs">
        {branches.map(({ name, cards }) => {
          const open = conflicts.filter(({ from }) => from === name).length;
          const plan = plans.find(({ id }) => name === `plan/${id}`)?.id;
          const ownTasks = tasks.filter((task) => plan !== undefined && task.plan === plan).length;
          const isOn = name === branch && route.as === "cards";
          return (
            <button
              key={name}
              type="button"
              class={isOn ? "on" : ""}
              aria-pressed={isOn}
              onClick={() => onBranch(name)}
            >
              <Icon name="fork" />
              <span class="words">
                <PlainText text={name} />
              </span>
              <span class={open > 0 ? "num warnc" : "num"}>
                {open > 0
                  ? countOf(open, "conflict")
                  : ownTasks > 0
                    ? countOf(ownTasks, "task")
                    : cards
                      ? cardWords(cards)
                      : ""}
              </span>
            </button>
          );
        })}
      </div>
      <h2>Notes and documents</h2>
      {(
        [
          ["notes", "Notes", workspace.notesTotal],
          ["documents", "Documents", docs.length],
          ["rules", "Standing rules", workspace.rulesTotal],
        ] as const
      ).map(([id, words, count]) => (
        <button
          key={id}
          type="button"
          class={route.as === "notes" && id === "notes" ? "fc on" : "fc"}
          onClick={() => {
            onGo({ as: "notes", item: undefined });
            requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView());
          }}
        >
          {words}
          <span class="num">{formatCount(count)}</span>
        </button>
      ))}
    </div>
  );
}
