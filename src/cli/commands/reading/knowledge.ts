import { quote } from "../../../kernel/text.ts";
import {
  knowledgeGetPattern,
  knowledgeListPatterns,
} from "../../../operations/ledger/knowledge/knowledge-pattern.ts";
import {
  knowledgeListScratchpad,
  knowledgeReadScratchpad,
} from "../../../operations/ledger/knowledge/knowledge-scratchpad.ts";
import { ask, withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { addProjectHint } from "../../empty-project.ts";
import { CommandFailure } from "../../failure.ts";
import type { Host } from "../../host.ts";
import { argumentsFrom, type FieldFlags, optionsFrom } from "../../operation-options.ts";
import { renderProse } from "../../rendering/prose.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { renderHint } from "../../rendering/statement.ts";
import { renderTable } from "../../rendering/table.ts";
import { formatAge, oneLine } from "../../rendering/words.ts";

type Note = {
  id: string;
  title: string;
  content: string;
  updatedAt: string;
  description?: string;
  tags?: string[];
};
type Row = Note & { kind: "pattern" | "scratchpad" };

const flags: FieldFlags = {
  search: { field: "search", value: "words" },
  tag: { field: "tags", value: "tag", many: true },
};

export const knowledge: Command = {
  name: "knowledge",
  group: "Look",
  summary: "List what a project has learned, or read one note.",
  words: ["[id]"],
  options: {
    ...optionsFrom(knowledgeListPatterns, flags),
    project: { value: "name", describe: "Project to use, instead of the current one." },
  },
  examples: [
    { line: "thoughtbox knowledge", shows: "patterns and scratchpad" },
    { line: "thoughtbox knowledge check-the-pool", shows: "one note in full" },
    { line: "thoughtbox knowledge --search pool --json", shows: "as JSON" },
  ],

  async run({ terminal, words: [id], flags: given }) {
    const project = given.text("project");
    const settings = project === undefined ? {} : { THOUGHTBOX_PROJECT: project };
    return withStore(
      terminal,
      (host) => (id === undefined ? list(host, argumentsFrom(given, flags)) : readNote(host, id)),
      settings,
    );
  },
};

async function list(host: Host, filter: Record<string, unknown>): Promise<Answer> {
  const { patterns } = await ask(host, knowledgeListPatterns, {
    limit: 100,
    ...filter,
  });
  const filtered = Object.keys(filter).length > 0;
  const { notes } = filtered ? { notes: [] } : await ask(host, knowledgeListScratchpad, { limit: 100 });
  const answer: Answer = {
    data: { patterns, notes },
    lines: (context) => renderNotes(patterns, notes, context),
  };
  return patterns.length + notes.length > 0 ? answer : addProjectHint(host, answer);
}

function renderNotes(patterns: readonly Note[], notes: readonly Note[], context: RenderContext): string[] {
  const rows: Row[] = [
    ...patterns.map((note) => ({ ...note, kind: "pattern" as const })),
    ...notes.map((note) => ({ ...note, kind: "scratchpad" as const })),
  ];
  if (rows.length === 0)
    return [
      "No notes found.",
      ...renderHint(
        "Agents record what they learn: thoughtbox call help topic=knowledge.create_pattern",
        context,
      ),
    ];
  return renderTable(
    context,
    [
      { title: "id", cell: ({ id }) => id, paint: context.paint.cyan },
      { title: "kind", cell: ({ kind }) => kind, paint: context.paint.dim, expendable: 2 },
      { title: "about", cell: (note) => oneLine(note.description || note.title), flexible: 24 },
      {
        title: "tags",
        cell: ({ tags = [] }) => oneLine(tags.join(", ")),
        paint: context.paint.dim,
        expendable: 1,
      },
      { title: "age", cell: ({ updatedAt }) => formatAge(updatedAt, context.now), align: "right" },
    ],
    rows,
  );
}

/** Reads the pattern with this ID, or if there is none, the scratchpad note. */
async function readNote(host: Host, id: string): Promise<Answer> {
  const note = await ask(host, knowledgeGetPattern, { id })
    .then(({ pattern }) => pattern)
    .catch(async (thrown: unknown) => {
      if (!isUnknown(thrown)) throw thrown;
      const read = ask(host, knowledgeReadScratchpad, { topic: id });
      return read
        .then(({ note }) => note)
        .catch((second: unknown) => {
          throw isUnknown(second)
            ? new CommandFailure(`There is no note ${quote(id, 64)} in this project.`, {
                next: "thoughtbox knowledge lists the notes.",
              })
            : second;
        });
    });
  return { data: note, lines: (context) => renderNote(note, context) };
}

const isUnknown = (thrown: unknown): boolean =>
  thrown instanceof CommandFailure && thrown.code === "UNKNOWN_ID";

function renderNote(
  { title, description, tags = [], updatedAt, content }: Note,
  context: RenderContext,
): string[] {
  const facts = [...tags.map((tag) => `#${oneLine(tag)}`), formatAge(updatedAt, context.now)].join(" · ");
  return [
    context.paint.bold(oneLine(title)),
    context.paint.dim(facts),
    ...(description ? ["", ...renderProse(description, context)] : []),
    "",
    ...renderProse(content, context),
  ];
}
