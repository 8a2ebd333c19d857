import { wordMoved } from "../../../operations/memory/ground/read-ground.ts";
import { recall as recallOperation } from "../../../operations/memory/recall/recall.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { addProjectHint } from "../../empty-project.ts";
import { proseWidth, type RenderContext } from "../../rendering/render-context.ts";
import { wrap } from "../../rendering/width.ts";
import { formatAgo, oneLine, shortId } from "../../rendering/words.ts";

type Found = ResultOf<typeof recallOperation>;

/** The maximum length of an answer. People can skim, so it is longer than for a model. */
const maxChars = 20_000;

export const recall: Command = {
  name: "recall",
  group: "Look",
  summary: "Show what this project knows about a question.",
  words: ["<question…>"],
  options: {
    file: {
      value: "path",
      describe: "A file that the question is about. Adds the reasons for the file's lines.",
    },
  },
  details: [
    "Shows the request, the reason and the outcome of the sessions that match best, then decisions, dead ends and open questions.",
    "Every line is a quotation. The ID of its thought is in brackets.",
  ],
  examples: [
    {
      line: "thoughtbox recall what did we decide about the pool",
      shows: "decisions, and where they were made",
    },
    { line: "thoughtbox recall why does checkout time out --json", shows: "as JSON" },
  ],

  async run({ terminal, words, flags }) {
    const file = flags.text("file");
    const asked = { question: words.join(" "), ...(file !== undefined && { file }), max_chars: maxChars };
    return withStore(terminal, async (host) => {
      const found = await ask(host, recallOperation, asked, { signal: terminal.stop });
      const answer: Answer = { data: found, lines: (context) => render(found, context) };
      return found.sessions.length > 0 ? answer : addProjectHint(host, answer);
    });
  },
};

function render(found: Found, context: RenderContext): string[] {
  const { paint, now } = context;
  const {
    sessions,
    decisions = [],
    dead_ends = [],
    open = [],
    notes = [],
    why = [],
    missing = [],
    related = [],
    note,
  } = found;
  const remarks = (heading: string, list: typeof decisions): string[] =>
    list.length === 0
      ? []
      : [
          "",
          paint.bold(heading),
          ...list.flatMap((remark) => {
            const { text, by, at, id } = remark;
            const { instead } = remark;
            const beside = [
              ...(instead ? [`now: ${changedSince(remark.instead_moved ?? [])}${instead}`] : []),
              ...marksOf(remark),
            ];
            return [
              ...item(`${changed(remark)}${text} (${by}, ${formatAgo(at, now)}) [${id}]`, context),
              ...beside.flatMap((line) => inset(line, context)),
            ];
          }),
        ];
  const said = (label: string, one: Said | undefined): string[] =>
    one ? item(`${label}${besideLabel(one)}: ${changed(one)}${one.text}`, context) : [];
  const lacking =
    missing.length === 0 ? [] : ["", paint.dim(`Found nothing about: ${missing.map(oneLine).join(", ")}`)];
  const parts: Partial<Record<string, string[]>> = {
    note: note === undefined ? [] : [paint.dim(oneLine(note))],
    sessions: sessions.flatMap(({ sessionId, request, title, at, ...told }) => [
      "",
      `${request ? `(${request}) ` : ""}${paint.bold(oneLine(title))} ${paint.dim(`(${formatAgo(at, now)}, ${shortId(sessionId)})`)}`,
      ...(["asked", "because", "found", "outcome"] as const).flatMap((label) => said(label, told[label])),
    ]),
    decisions: remarks("Decisions", decisions),
    dead_ends: remarks("Dead ends", dead_ends),
    open: remarks("Open", open),
    why:
      why.length === 0
        ? []
        : [
            "",
            paint.bold("Why"),
            ...why.flatMap(({ file, lines, text }) => item(`${file}:${lines} ${text}`, context)),
          ],
    notes:
      notes.length === 0
        ? []
        : ["", paint.bold("Notes"), ...notes.flatMap(({ text, id }) => item(`${text} [${id}]`, context))],
    missing: lacking,
    related:
      related.length === 0
        ? []
        : [
            "",
            paint.dim("Sessions that contain other words of the question:"),
            ...related.flatMap(({ sessionId, title }) => item(`${title} [${shortId(sessionId)}]`, context)),
          ],
  };
  // Keeps the answer's order, which starts with the most relevant part.
  return ["note", ...Object.keys(found).filter((name) => name !== "note")]
    .flatMap((name) => parts[name] ?? [])
    .filter((line, at) => at > 0 || line !== "");
}

type Shown = NonNullable<Found["decisions"]>[number];
type Said = NonNullable<Found["sessions"][number]["asked"]>;

const besideLabel = ({ request, older_than }: Said): string =>
  request ? ` (${request})` : older_than ? ` (older than ${older_than})` : "";

/** Returns what has changed. This is shown before the text, so that readers see the warning first. */
const changed = (shown: Pick<Shown, "ground_moved" | "ground_now">): string => changedSince(wordMoved(shown));
const changedSince = (moved: readonly string[]): string =>
  moved.length === 0 ? "" : `(changed since: ${moved.join(", ")}) `;

/** Returns the warnings that a reader must see before relying on the text. */
const marksOf = ({ was, ground, rests_on_reversed = [] }: Shown): string[] => [
  ...(was === undefined ? [] : [`before: ${was}`]),
  ...(ground === "unknown" ? ["cannot check whether its files have changed"] : []),
  ...(rests_on_reversed.length === 0
    ? []
    : [`in doubt, because this was reversed: ${rests_on_reversed.join(", ")}`]),
];

const inset = (text: string, { width }: RenderContext): string[] =>
  wrap(oneLine(text), Math.min(width, proseWidth) - 6).map((line) => `      ${line}`);

const item = (text: string, { width }: RenderContext): string[] =>
  wrap(oneLine(text), Math.min(width, proseWidth) - 4).map(
    (line, at) => `${at === 0 ? "  - " : "    "}${line}`,
  );
