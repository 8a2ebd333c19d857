import { count, figure } from "../../../kernel/numbers.ts";
import { shellWord } from "../../../kernel/text.ts";
import { sessionList } from "../../../operations/ledger/session/list-sessions.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { explainEmptyProject } from "../../empty-project.ts";
import { firstThought } from "../../name-session.ts";
import { argumentsFrom, type FieldFlags, optionsFrom } from "../../operation-options.ts";
import type { Colour, RenderContext } from "../../rendering/render-context.ts";
import { renderHint } from "../../rendering/statement.ts";
import { type Column, renderTable } from "../../rendering/table.ts";
import { wrap } from "../../rendering/width.ts";
import { formatAge, oneLine, shortId } from "../../rendering/words.ts";

type Listing = ResultOf<typeof sessionList>;
type Session = Listing["sessions"][number];

const flags: FieldFlags = {
  project: { field: "project", value: "name" },
  tag: { field: "tags", value: "tag", many: true },
  search: { field: "search", value: "words" },
  status: { field: "status", value: "status" },
  limit: { field: "limit", value: "number", short: "n" },
  offset: { field: "offset", value: "number" },
};

export const ls: Command = {
  name: "ls",
  aliases: ["list", "sessions"],
  group: "Look",
  summary: "List sessions, newest first.",
  options: {
    ...optionsFrom(sessionList, flags),
    quiet: { short: "q", describe: "Print the IDs only, one per line." },
    project: { value: "name", describe: "Only this project. Default: all projects." },
    tag: { value: "tag", describe: "Only sessions with this tag. Can be repeated.", many: true },
  },
  examples: [
    { line: "thoughtbox ls", shows: "the newest in all projects" },
    { line: "thoughtbox ls --tag example --status active --limit 5", shows: "filtered" },
    { line: "thoughtbox ls -q -n 1", shows: "the newest session's ID" },
    { line: "thoughtbox ls --search login --json", shows: "as JSON" },
  ],

  async run({ terminal, flags: given }) {
    const { listing, elsewhere, unknown } = await withStore(terminal, async (host) => {
      const typed = { command: "ls", flags, given };
      const found = await ask(host, sessionList, { project: "*", ...argumentsFrom(given, flags) }, { typed });
      const project = found.total === 0 ? given.text("project") : undefined;
      return {
        listing: found,
        elsewhere: project === undefined ? undefined : await explainEmptyProject(host, project),
        unknown: found.total <= fewSessions ? await host.countUnknownSessions(terminal.stop) : undefined,
      };
    });
    const isFiltered = ["tag", "search", "status"].some((option) => given.has(option));
    const lines = (context: RenderContext) =>
      context.quiet
        ? listing.sessions.map(({ id }) => id)
        : [...renderListing(listing, { elsewhere, isFiltered }, context), ...renderUnknown(unknown, context)];
    return { data: { ...listing, ...(elsewhere !== undefined && { hint: elsewhere }) }, lines };
  },
};

/**
 * The maximum number of sessions in a store in which old files are looked for. In a larger store, the search
 * would take longer than the list itself.
 */
const fewSessions = 20;

function renderUnknown(
  unknown: { directory: string; sessions: number } | undefined,
  context: RenderContext,
): string[] {
  if (!unknown || unknown.sessions === 0) return [];
  return [
    "",
    `The JSON files contain ${count(unknown.sessions, "session")} that the store does not have.`,
    ...renderHint(`To import: thoughtbox import ${shellWord(unknown.directory)}`, context),
  ];
}

function renderListing(
  { sessions, total, offset }: Listing,
  { elsewhere, isFiltered }: { elsewhere: string | undefined; isFiltered: boolean },
  context: RenderContext,
): string[] {
  if (sessions.length === 0) {
    if (elsewhere !== undefined) return wrap(elsewhere, context.width);
    if (total > 0) return [`No sessions at this offset. Sessions in total: ${figure(total)}.`];
    return isFiltered
      ? ["No sessions match these filters."]
      : ["No sessions found.", ...renderHint(`Let an agent record one, or run: ${firstThought}`, context)];
  }
  const rest = total - offset - sessions.length;
  return [
    ...renderTable(context, columnsFor(sessions, context), sessions),
    ...(rest > 0
      ? [
          "",
          context.paint.dim(
            `${count(rest, "more session")}: --offset ${offset + sessions.length}, or --limit`,
          ),
        ]
      : []),
  ];
}

const statusColours: Record<Session["status"], Colour> = {
  active: "green",
  completed: "blue",
  abandoned: "dim",
};

/** The least width for thought counts, in columns. Narrower terminals need the room for the title. */
const narrowestCount = 46;

function columnsFor(sessions: readonly Session[], { paint, now, width }: RenderContext): Column<Session>[] {
  const severalProjects = new Set(sessions.map(({ project }) => project)).size > 1;
  return [
    { title: "id", cell: ({ id }) => shortId(id), paint: paint.cyan },
    { title: "title", cell: ({ title }) => oneLine(title), flexible: 32 },
    ...(severalProjects
      ? [{ title: "project", cell: ({ project }: Session) => project, paint: paint.dim, expendable: 1 }]
      : []),
    {
      title: "status",
      cell: ({ status }) => status,
      paint: (text, { status }) => paint[statusColours[status]](text),
      expendable: 2,
    },
    ...(width < narrowestCount
      ? []
      : [
          {
            title: "thoughts",
            cell: ({ thoughtCount }: Session) => String(thoughtCount),
            align: "right" as const,
          },
        ]),
    ...(sessions.some(({ branchCount }) => branchCount > 0)
      ? [
          {
            title: "branches",
            cell: ({ branchCount }: Session) => String(branchCount || "–"),
            align: "right" as const,
            expendable: 3,
          },
        ]
      : []),
    { title: "age", cell: ({ updatedAt }) => formatAge(updatedAt, now), align: "right" },
  ];
}
