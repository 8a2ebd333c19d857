import { withSessions } from "../../../operations/ledger/session/found-hits.ts";
import { sessionSearch } from "../../../operations/ledger/session/session-search.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { addProjectHint } from "../../empty-project.ts";
import { notUnderstood } from "../../failure.ts";
import { argumentsFrom, type FieldFlags, optionsFrom } from "../../operation-options.ts";
import { orList } from "../../parse-words.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { renderHint } from "../../rendering/statement.ts";
import { cut, textWidth, wrap, wrapFacts } from "../../rendering/width.ts";
import { formatAge, oneLine, shortId } from "../../rendering/words.ts";

type Found = ResultOf<typeof sessionSearch>;
type Hit = Found["hits"][number];

const flags: FieldFlags = {
  project: { field: "project", value: "name" },
  workspace: { field: "workspace", value: "name" },
  only: { field: "only", value: "what" },
  tag: { field: "tags", value: "tag", many: true },
  type: { field: "type", value: "type" },
  since: { field: "since", value: "date" },
  until: { field: "until", value: "date" },
  order: { field: "order", value: "order" },
  limit: { field: "limit", value: "number", short: "n" },
  offset: { field: "offset", value: "number" },
  "per-session": { field: "perSession", value: "number" },
};

/** Options that can be used without search words. */
const narrowing = ["type", "tag", "since", "until"];

export const search: Command = {
  name: "search",
  group: "Look",
  summary: "Search thoughts and the memory with a question in plain words, best match first.",
  words: ["[words…]"],
  options: {
    ...optionsFrom(sessionSearch, flags),
    project: { value: "name", describe: "Only this project. Default: all projects." },
    tag: { value: "tag", describe: "Only sessions with this tag. Can be repeated.", many: true },
    since: {
      value: "date",
      describe: "Recorded since a date, such as 2026-01-31, or since 7d, 12h or 2w ago.",
    },
    until: {
      value: "date",
      describe: "Recorded until a date, such as 2026-01-31, or until 7d, 12h or 2w ago.",
    },
  },
  examples: [
    { line: "thoughtbox search why did the pool run dry", shows: "a question in plain words" },
    { line: "thoughtbox search '\"connection pool\"' --type H", shows: "a phrase, in hypotheses" },
    { line: "thoughtbox search timeout --order newest --limit 3 --json", shows: "as JSON" },
  ],

  async run({ terminal, words, flags: given }) {
    const query = words.join(" ").trim();
    if (query === "" && !narrowing.some((option) => given.has(option)))
      throw notUnderstood(
        `Enter words to search for, or at least ${orList(narrowing.map((option) => `--${option}`))}.`,
        "thoughtbox ls lists the newest sessions.",
      );
    return withStore(terminal, async (host) => {
      const found = await ask(
        host,
        sessionSearch,
        {
          ...(query !== "" && { query }),
          project: "*",
          ...argumentsFrom(given, flags, terminal.now()),
        },
        { typed: { command: "search", flags, given } },
      );
      const whole = { ...found, hits: withSessions(found.hits) };
      const answer: Answer = { data: whole, lines: (context) => renderHits(whole, context) };
      return whole.hits.length > 0 ? answer : addProjectHint(host, answer, given.text("project"));
    });
  },
};

function renderHits(
  { hits, query, relaxed, weak, missing = [], hasMore }: Found,
  context: RenderContext,
): string[] {
  const { paint } = context;
  if (hits.length === 0) return [query === undefined ? "No results." : `No results for "${oneLine(query)}".`];
  const remarks = [
    ...(weak
      ? ["These match only part of your question."]
      : relaxed
        ? ["No thought contains all the words. These contain some of them."]
        : []),
    ...(missing.length > 0 ? [`Found nothing about: ${oneLine(missing.join(", "))}`] : []),
  ];
  return [
    ...(remarks.length > 0
      ? [...remarks.flatMap((remark) => wrap(remark, context.width)).map(paint.dim), ""]
      : []),
    ...hits.flatMap((hit, index) => renderHit(hit, hits[index - 1], context)),
    ...(hasMore && !context.quiet
      ? ["", ...renderHint("There are more hits. Use --limit or --offset.", context)]
      : []),
  ];
}

/** The least width for the text, in columns. If less is left, its location is on the next line. */
const narrowestWords = 40;

/** The least width for the title, in columns. If less is left, the title is on its own line. */
const narrowestTitle = 16;

/** Matches the ID of a session or notebook. */
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Renders a hit. Omits the heading if the previous hit is from the same session. */
function renderHit(
  { sessionId, sessionTitle, thought, note, memory, timestamp, snippet, ...marks }: Hit,
  before: Hit | undefined,
  context: RenderContext,
): string[] {
  const { paint, width, now } = context;
  const found = memory?.id ?? sessionId ?? "";
  const id = note ? `${note.doc}@${note.seq}` : uuid.test(found) ? shortId(found) : found;
  const title = note
    ? (note.title ?? note.branch)
    : memory
      ? (memory.title ?? memory.id)
      : (sessionTitle ?? "");
  const place = note ? "note" : memory ? describeThing(memory) : thought ? describePlace(thought) : "session";
  const standing = [
    ...(["rejected", "superseded", "conflict", "earlier"] as const).filter((mark) => marks[mark]),
    ...(marks.revisedBy ? [`revised by ${describePlace(marks.revisedBy)}`] : []),
  ];
  const facts = [place, ...standing, formatAge(timestamp, now)];
  const tail = facts.join(" · ");
  const name = oneLine(title);
  const beside = width - textWidth(id) - 2;
  const head =
    beside >= Math.min(narrowestTitle, textWidth(name))
      ? [`${paint.cyan(id)}  ${paint.bold(cut(name, beside))}`]
      : [paint.cyan(id), `  ${paint.bold(cut(name, width - 2))}`];
  const isSame = sessionId !== undefined && !note && !memory && before?.sessionId === sessionId;
  const words = oneLine(snippet);
  // If the hit is the session's title, the heading already shows it.
  const isTitle = words.replace(/[«»]/g, "") === name;
  const room = width - textWidth(tail) - 4;
  const isBeside = textWidth(words) <= room || room >= narrowestWords;
  const shown = highlight(cut(words, isBeside ? room : width - 2), context);
  return [
    ...(isSame ? [] : [...(before ? [""] : []), ...head]),
    ...(isTitle ? [] : [isBeside ? `  ${shown}  ${paint.dim(tail)}` : `  ${shown}`]),
    ...(isTitle || !isBeside ? wrapFacts(facts, width - 2).map((line) => `  ${paint.dim(line)}`) : []),
  ];
}

/** The maximum length of a branch name. It leaves room for the age on the line in the narrowest terminal. */
const longestBranch = 20;

function describePlace({ branchId, thoughtNumber }: NonNullable<Hit["thought"]>): string {
  return branchId === undefined
    ? `thought ${thoughtNumber}`
    : `${cut(branchId, longestBranch)} ${thoughtNumber}`;
}

/** Replaces the marks «…» around each match with a colour, if the terminal has colours. */
function highlight(snippet: string, { paint }: RenderContext): string {
  if (paint.bold("x") === "x") return snippet;
  return snippet.replace(/«([^»…]*)(»|(?=…$))/g, (_, words: string) => `${paint.yellow(paint.bold(words))}`);
}

const describeThing = ({ kind, type, status }: NonNullable<Hit["memory"]>): string =>
  [
    kind === "card" || kind === "node" ? (type ?? kind) : kind,
    ...(status ? [status.toLowerCase()] : []),
  ].join(", ");
