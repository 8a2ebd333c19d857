import { decide as decideOperation } from "../../operations/memory/decisions/decide.ts";
import { decisions as listOperation } from "../../operations/memory/decisions/decisions.ts";
import { wordMoved } from "../../operations/memory/ground/read-ground.ts";
import { maxAnswerChars } from "../../operations/pipeline/fit/budget.ts";
import type { ResultOf } from "../../operations/pipeline/operation.ts";
import { ask, withStore } from "../ask.ts";
import { type Answer, type Command, workspaceOption, workspaceSetting } from "../command.ts";
import { addProjectHint } from "../empty-project.ts";
import { notUnderstood } from "../failure.ts";
import { argumentsFrom, type FieldFlags, optionsFrom } from "../operation-options.ts";
import { proseWidth, type RenderContext } from "../rendering/render-context.ts";
import { renderHint } from "../rendering/statement.ts";
import { wrap } from "../rendering/width.ts";
import { formatAge, oneLine } from "../rendering/words.ts";

const making: FieldFlags = {
  chosen: { field: "chosen", value: "option" },
  because: { field: "because", value: "reason" },
  rejected: { field: "rejected", value: "option: why", many: true },
  file: { field: "files", value: "path", many: true },
  commit: { field: "commit", value: "hash" },
  reverses: { field: "reverses", value: "id", many: true },
  "rests-on": { field: "rests_on", value: "id", many: true },
  target: { field: "target", value: "task" },
};

const described = optionsFrom(decideOperation, making);

export const decide: Command = {
  name: "decide",
  group: "More",
  summary: "Record a decision: what was chosen, what was rejected and why.",
  words: ["<title…>"],
  options: {
    ...described,
    rejected: { value: "option: why", describe: "A rejected option. Can be repeated.", many: true },
    ...workspaceOption,
  },
  details: ["Thoughtbox records a thought and a decision card. Repeating the same decision changes nothing."],
  examples: [
    {
      line: "thoughtbox decide Keep one store --chosen SQLite --because 'no server' --rejected 'Redis: loses data'",
      shows: "the decision's ID",
    },
  ],

  async run({ terminal, words, flags }) {
    const missing = ["chosen", "because"].filter((name) => !flags.has(name));
    if (missing.length > 0)
      throw notUnderstood(
        `A decision needs ${missing.map((name) => `--${name}`).join(" and ")}.`,
        "See thoughtbox decide --help",
      );
    const asked = { title: words.join(" "), ...argumentsFrom(flags, making) } as never;
    const made = await withStore(
      terminal,
      (host) => ask(host, decideOperation, asked, { typed: { command: "decide", flags: making } }),
      workspaceSetting(flags),
    );
    return {
      data: made,
      lines: (context) => [
        `${made.recorded ? "Decided" : "Already decided"}: ${context.paint.cyan(made.id)}`,
        ...(made.branch === "main" ? [] : [`On branch ${made.branch}, your current branch.`]),
        ...(made.reversed ? [`Reversed: ${made.reversed.join(", ")}`] : []),
        ...renderHint("List all: thoughtbox decisions", context),
      ],
    };
  },
};

const asking: FieldFlags = {
  file: { field: "file", value: "path" },
  state: { field: "state", value: "state" },
  since: { field: "since", value: "date" },
  limit: { field: "limit", value: "number", short: "n" },
};

export const decisions: Command = {
  name: "decisions",
  group: "Look",
  summary: "List decisions with their rejected options and current state.",
  words: ["[question…]"],
  options: { ...optionsFrom(listOperation, asking), ...workspaceOption },
  details: ["Instead of a question, you can enter the ID of one decision."],
  examples: [
    { line: "thoughtbox decisions", shows: "all decisions, most recently changed first" },
    { line: "thoughtbox decisions why no redis --state holds", shows: "decisions about a question" },
  ],

  async run({ terminal, words, flags }) {
    const asked = {
      ...(words.length > 0 && { question: words.join(" ") }),
      ...argumentsFrom(flags, asking, terminal.now()),
      max_chars: maxAnswerChars,
    };
    return withStore(
      terminal,
      async (host) => {
        const typed = { command: "decisions", flags: asking, given: flags };
        const found = await ask(host, listOperation, asked, { typed });
        const answer: Answer = {
          data: found,
          lines: (context) => render(found, Object.keys(asked).length > 1, context),
        };
        return found.decisions.length > 0 ? answer : addProjectHint(host, answer);
      },
      workspaceSetting(flags),
    );
  },
};

type Found = ResultOf<typeof listOperation>;

const states = { holds: "holds", in_doubt: "in doubt", reversed: "reversed" } as const;

function render(
  { decisions: listed, pagination }: Found,
  isFiltered: boolean,
  context: RenderContext,
): string[] {
  if (listed.length === 0 && isFiltered)
    return ["No decisions match.", ...renderHint("List all: thoughtbox decisions", context)];
  if (listed.length === 0)
    return [
      "No decisions found.",
      ...renderHint("Record one with thoughtbox decide. Agents use the tool decide.", context),
    ];
  return [
    ...listed.flatMap((one, at) => [...(at > 0 ? [""] : []), ...renderDecision(one, context)]),
    ...(pagination.has_more
      ? ["", ...renderHint("There are more. Raise --limit to list them.", context)]
      : []),
  ];
}

function renderDecision(decision: Found["decisions"][number], context: RenderContext): string[] {
  const { paint, now } = context;
  const { id, title, state, chosen, because, rejected = [], files = [], commit, at, text } = decision;
  const { reversed_by, rests_on_reversed = [], ground } = decision;
  const moved = wordMoved(decision);
  const standing = [
    states[state],
    ...(reversed_by === undefined ? [] : [`by ${reversed_by}`]),
    ...(at === undefined ? [] : [formatAge(at, now)]),
  ].join(", ");
  return [
    `${paint.cyan(id)}  ${paint.bold(oneLine(title))}  ${paint.dim(standing)}`,
    ...line("chosen", chosen, context),
    ...line("because", because ?? text, context),
    ...rejected.flatMap(({ option, why }) =>
      line("rejected", why === undefined ? option : `${option}: ${why}`, context),
    ),
    ...line("files", files.length > 0 ? files.join(", ") : undefined, context),
    ...line("changed since", moved.length > 0 ? moved.join(", ") : undefined, context),
    ...line(
      "ground",
      ground === "unknown" ? "cannot check whether its files have changed" : undefined,
      context,
    ),
    ...line("commit", commit, context),
    ...rests_on_reversed.flatMap((below) =>
      line("in doubt", `it is based on ${below.id}, which was reversed`, context),
    ),
  ];
}

const line = (label: string, text: string | undefined, { width }: RenderContext): string[] =>
  text === undefined
    ? []
    : wrap(`${label}: ${oneLine(text)}`, Math.min(width, proseWidth) - 4).map(
        (part, at) => `${at === 0 ? "  " : "    "}${part}`,
      );
