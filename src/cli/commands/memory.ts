import { count } from "../../kernel/numbers.ts";
import { notesCommit } from "../../operations/memory/notes/notes-commit.ts";
import { tasksContext } from "../../operations/memory/tasks/tasks-context.ts";
import { tasksRadar } from "../../operations/memory/tasks/tasks-radar.ts";
import { maxAnswerChars } from "../../operations/pipeline/fit/budget.ts";
import type { ResultOf } from "../../operations/pipeline/operation.ts";
import { ask, withStore } from "../ask.ts";
import { type Answer, type Command, workspaceOption, workspaceSetting } from "../command.ts";
import { addProjectHint } from "../empty-project.ts";
import { notUnderstood } from "../failure.ts";
import type { RenderContext } from "../rendering/render-context.ts";
import { renderHint } from "../rendering/statement.ts";
import { renderTable } from "../rendering/table.ts";
import { wrap } from "../rendering/width.ts";
import { oneLine } from "../rendering/words.ts";

export const note: Command = {
  name: "note",
  group: "More",
  summary: "Add a note to the project's memory.",
  words: ["<words…>"],
  options: { title: { value: "words", describe: "Title of the note." }, ...workspaceOption },
  details: ["Agents find notes with session_search and context_pack. Use - to read the note from stdin."],
  examples: [{ line: "thoughtbox note We keep SQLite: one file, many readers", shows: "one sentence" }],

  async run({ terminal, words, flags }) {
    const content = words.length === 1 && words[0] === "-" ? await terminal.readInput() : words.join(" ");
    if (content.trim() === "") throw notUnderstood("A note needs some text.", "See thoughtbox note --help");
    const written = await withStore(
      terminal,
      (host) =>
        ask(
          host,
          notesCommit,
          { content, title: flags.text("title") },
          { typed: { command: "note", flags: { title: { field: "title", value: "words" } } } },
        ),
      workspaceSetting(flags),
    );
    const { branch = "main", doc = "notes" } = written.entry;
    const isMain = branch === "main";
    return {
      data: written,
      lines: (context) => [
        isMain ? "Noted." : `Noted on branch ${branch}, your current branch.`,
        ...renderHint(
          `Read it: thoughtbox call show doc=${doc}${isMain ? "" : ` branch=${branch}`}`,
          context,
        ),
      ],
    };
  },
};

export const tasks: Command = {
  name: "tasks",
  group: "Look",
  summary: "List the project's plans and tasks, or show one.",
  words: ["[id]"],
  options: { all: { describe: "Include plans and tasks that are done or cancelled." }, ...workspaceOption },
  examples: [
    { line: "thoughtbox tasks", shows: "what is open" },
    { line: "thoughtbox tasks TASK-001", shows: "its current and next steps, and what blocks it" },
    { line: "thoughtbox tasks --all --json", shows: "everything, as JSON" },
  ],

  async run({ terminal, words: [id], flags }) {
    if (id !== undefined) {
      const radar = await withStore(
        terminal,
        (host) =>
          ask(host, tasksRadar, { target: id.toUpperCase() }, { next: "thoughtbox tasks lists them." }),
        workspaceSetting(flags),
      );
      return { data: radar, lines: (context) => renderTask(radar, context) };
    }
    return withStore(
      terminal,
      async (host) => {
        const found = await ask(host, tasksContext, {
          include_all: flags.has("all"),
          max_chars: maxAnswerChars,
        });
        const answer: Answer = { data: found, lines: (context) => renderTasks(found, context) };
        const isEmpty = (found.plans ?? []).length + found.tasks.length === 0;
        return isEmpty ? addProjectHint(host, answer) : answer;
      },
      workspaceSetting(flags),
    );
  },
};

function renderTasks(
  { plans = [], tasks: listed, focus, pagination }: ResultOf<typeof tasksContext>,
  context: RenderContext,
): string[] {
  const { paint } = context;
  if (plans.length + listed.length === 0)
    return [
      "There are no open plans or tasks.",
      ...renderHint(
        "Agents create them with tasks_create. Include finished ones: thoughtbox tasks --all",
        context,
      ),
    ];
  return [
    ...renderTable(
      context,
      [
        { title: "id", cell: ({ id }) => id, paint: paint.cyan },
        { title: "title", cell: ({ title }) => oneLine(title), flexible: 20 },
        { title: "status", cell: ({ status }) => String(status).toLowerCase() },
        { title: "plan", cell: (item) => ("parent" in item ? String(item.parent ?? "") : ""), expendable: 1 },
        { title: "", cell: ({ id }) => (id === focus ? "in focus" : ""), paint: paint.dim, expendable: 2 },
      ],
      [...plans, ...listed],
    ),
    ...(pagination.has_more ? ["", paint.dim(`${count(listed.length, "task")} shown. There are more.`)] : []),
  ];
}

function renderTask({ radar, target, steps }: ResultOf<typeof tasksRadar>, context: RenderContext): string[] {
  const { paint, width } = context;
  const facts = [
    ...(target ? [target.status.toLowerCase()] : []),
    ...(steps && steps.total > 0 ? [`${steps.completed} of ${count(steps.total, "step")} done`] : []),
    ...(target?.parent ? [String(target.parent)] : []),
  ];
  const parts: [label: string, texts: readonly string[]][] = [
    ["now", [radar.now]],
    ["next", radar.next ?? []],
    ["verify", radar.verify ?? []],
    ["blocked by", radar.blockers ?? []],
  ];
  const label = 12;
  return [
    ...wrap(target ? `${target.id}  ${oneLine(target.title)}` : "", width).map(paint.bold),
    paint.dim(facts.join(" · ")),
    ...parts.flatMap(([name, texts]) =>
      texts
        .flatMap((text) => wrap(oneLine(text), width - label))
        .map((line, index) => `${index === 0 ? paint.cyan(name.padEnd(label)) : " ".repeat(label)}${line}`),
    ),
  ];
}
