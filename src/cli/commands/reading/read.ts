import { count } from "../../../kernel/numbers.ts";
import { escapeInvisible, quote } from "../../../kernel/text.ts";
import { readThoughts } from "../../../operations/ledger/thought/read-thoughts.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { notUnderstood } from "../../failure.ts";
import { nameSession } from "../../name-session.ts";
import { argumentsFrom, type FieldFlags, optionsFrom } from "../../operation-options.ts";
import { proseWidth, type RenderContext } from "../../rendering/render-context.ts";
import { renderHint } from "../../rendering/statement.ts";
import { cut, textWidth, wrap } from "../../rendering/width.ts";
import { formatAge } from "../../rendering/words.ts";

type Page = ResultOf<typeof readThoughts>;

const flags: FieldFlags = {
  branch: { field: "branchId", value: "name" },
  last: { field: "last", value: "number", short: "n" },
  type: { field: "type", value: "type" },
};

export const read: Command = {
  name: "read",
  group: "Look",
  summary: "Read whole thoughts: one by its number, or the last few.",
  words: ["<session>", "[number]"],
  options: optionsFrom(readThoughts, flags),
  examples: [
    { line: "thoughtbox read latest", shows: "the last five" },
    { line: "thoughtbox read latest 2", shows: "one" },
    { line: "thoughtbox read latest --branch proxy", shows: "a branch" },
  ],

  async run({ terminal, words: [word = "", number], flags: given }) {
    if (number !== undefined && !/^\d+$/.test(number))
      throw notUnderstood(`${quote(number, 60)} is not a thought number.`, "See thoughtbox read --help");
    if (number !== undefined && given.has("last"))
      throw notUnderstood(
        `Pass either a thought number or ${given.typed("last")}.`,
        "See thoughtbox read --help",
      );
    return withStore(terminal, async (host) => {
      const sessionId = await nameSession(host, word);
      const chosen = number === undefined ? {} : { thoughtNumber: number };
      const page = await ask(
        host,
        readThoughts,
        { sessionId, verbose: true, ...chosen, ...argumentsFrom(given, flags) },
        { typed: { command: "read", flags, given } },
      );
      return { data: page, lines: (context) => renderPage(page, context) };
    });
  },
};

function renderPage(
  { thoughts, remarks = [], more, branchesNotShown = 0 }: Page,
  context: RenderContext,
): string[] {
  const hints = [
    ...(more === undefined ? [] : [more]),
    ...(branchesNotShown > 0
      ? [`Not shown: ${count(branchesNotShown, "branch")}. Read one with --branch.`]
      : []),
  ];
  if (thoughts.length === 0)
    return ["No thoughts found.", ...hints.flatMap((hint) => renderHint(hint, context))];
  const remarksOn = (thought: Page["thoughts"][number]) =>
    remarks.find((one) => one.branchId === thought.branchId && one.thoughtNumber === thought.thoughtNumber);
  return [
    ...thoughts.flatMap((thought, index) => [
      ...(index > 0 ? [""] : []),
      ...renderThought(thought, remarksOn(thought), context),
    ]),
    ...(hints.length === 0 || context.quiet
      ? []
      : ["", ...hints.flatMap((hint) => renderHint(hint, context))]),
  ];
}

type Remarked = NonNullable<Page["remarks"]>[number] | undefined;

function renderThought(
  thought: Page["thoughts"][number],
  remarked: Remarked,
  { paint, width, now }: RenderContext,
): string[] {
  const { branchId, thoughtNumber, revises, rejected, timestamp, critique } = thought;
  const notes = [
    ...(revises ? [`revises ${revises.branchId ?? ""} ${revises.thoughtNumber}`.replace("  ", " ")] : []),
    ...(rejected ? ["rejected"] : []),
    ...(remarked?.starredAt === undefined ? [] : ["★"]),
    ...(timestamp === undefined ? [] : [formatAge(timestamp, now)]),
  ];
  const beside = cut(notes.join(" · "), width - 14);
  const room = width - textWidth(beside) - String(thoughtNumber).length - 3;
  const name = branchId === undefined ? String(thoughtNumber) : `${cut(branchId, room)} ${thoughtNumber}`;
  const paragraph = (text: string) =>
    escapeInvisible(text)
      .replaceAll("\t", "  ")
      .split(/\r\n|\r|\n/)
      .flatMap((line) => wrap(line, Math.min(width, proseWidth) - 2))
      .map((line) => `  ${line}`.trimEnd());
  return [
    `${paint.bold(name)}  ${paint.dim(beside)}`,
    ...paragraph(thought.thought),
    ...(critique ? [paint.dim(`  critique by ${critique.model}:`), ...paragraph(critique.text)] : []),
    ...(remarked?.comments ?? []).flatMap(({ text, at }) => [
      paint.dim(`  comment, ${formatAge(at, now)}:`),
      ...paragraph(text),
    ]),
  ];
}
