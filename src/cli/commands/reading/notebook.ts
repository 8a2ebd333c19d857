import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { count } from "../../../kernel/numbers.ts";
import { quote } from "../../../kernel/text.ts";
import { notebookCreate, notebookList, notebookLoad } from "../../../operations/ledger/notebook/notebook.ts";
import { notebookExport } from "../../../operations/ledger/notebook/notebook-export.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Answer, Command, Invocation } from "../../command.ts";
import { addProjectHint } from "../../empty-project.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import type { Host } from "../../host.ts";
import { renderRuns, runCells } from "../../notebook/run-cells.ts";
import { argumentsFrom, type FieldFlags, optionsFrom } from "../../operation-options.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { renderHint } from "../../rendering/statement.ts";
import { renderTable } from "../../rendering/table.ts";
import { formatAge, formatBytes, oneLine, shortId } from "../../rendering/words.ts";
import { allow } from "../moving/export.ts";

const flags: FieldFlags = {
  language: { field: "language", value: "language" },
  template: { field: "template", value: "template" },
};

const verbs = { new: open, run, export: write, ls: list };
/** Maps the aliases of verbs to the verbs that they stand for. */
const otherVerbs: Readonly<Record<string, keyof typeof verbs>> = { list: "ls", create: "new" };

export const notebook: Command = {
  name: "notebook",
  group: "Look",
  summary: "Create, list, run or export notebooks: prose and code that runs.",
  words: [`[${Object.keys(verbs).join("|")}]`, "[name|notebook]"],
  options: {
    ...optionsFrom(notebookCreate, flags),
    from: {
      value: "place",
      describe: "new: create the notebook from this .src.md file, written by Thoughtbox or Srcbook.",
    },
    cell: { value: "file", describe: "run: only this cell, by its filename or ID. Default: all in order." },
    record: { value: "session", describe: "run: record each run as evidence in this session." },
    timeout: { value: "seconds", describe: "run: stop a cell after this many seconds. Default: 30." },
    to: { value: "place", describe: "export: directory or file to write. Default: stdout." },
    project: { value: "name", describe: "Project to use, instead of the current one." },
  },
  details: [
    "Pass a notebook's ID, its first characters, or latest. Cells run in the sandbox that thoughtbox doctor shows.",
    "run stops at the first cell that fails, and exits with 1.",
  ],
  examples: [
    { line: "thoughtbox notebook new 'Where does the cent go?'", shows: "a blank notebook" },
    { line: "thoughtbox notebook ls", shows: "most recently changed first" },
    { line: "thoughtbox notebook run latest", shows: "every cell in order" },
    { line: "thoughtbox notebook export latest --to cent.src.md", shows: "to share" },
  ],

  async run(invocation) {
    const [typed = "ls", ...rest] = invocation.words;
    const verb = Object.hasOwn(otherVerbs, typed) ? (otherVerbs[typed] ?? typed) : typed;
    const chosen = Object.hasOwn(verbs, verb) ? verbs[verb as keyof typeof verbs] : undefined;
    if (!chosen)
      throw notUnderstood(
        `${quote(verb, 60)} is not one of ${Object.keys(verbs).join(", ")}.`,
        "See thoughtbox notebook --help",
      );
    return chosen({ ...invocation, words: rest });
  },
};

function inStore<Result>(
  { terminal, flags }: Invocation,
  work: (host: Host) => Promise<Result>,
  settings: Record<string, string> = {},
): Promise<Result> {
  const project = flags.text("project");
  return withStore(terminal, work, {
    ...settings,
    ...(project !== undefined && { THOUGHTBOX_PROJECT: project }),
  });
}

const pageSize = 100;
const shortestPrefix = 4;
const next = "thoughtbox notebook ls lists the notebooks. `latest` is the one that changed last.";

/** Finds a notebook in the project by its ID, the beginning of its ID, or `latest`. */
async function nameNotebook(host: Host, word: string): Promise<string> {
  if (word === "latest") {
    const { notebooks } = await ask(host, notebookList, { limit: 1 });
    if (notebooks[0]) return notebooks[0].id;
    throw new CommandFailure("There are no notebooks in this project yet.", {
      next: "thoughtbox notebook new 'My first'",
    });
  }
  const prefix = word.toLowerCase();
  if (!/^[0-9a-f-]+$/.test(prefix) || prefix.length < shortestPrefix)
    throw new CommandFailure(`${quote(word, 60)} is not a notebook ID.`, { next, exitCode: 2 });
  const found: string[] = [];
  for (let offset = 0; ; offset += pageSize) {
    const { notebooks, hasMore } = await ask(host, notebookList, { limit: pageSize, offset });
    found.push(...notebooks.flatMap(({ id }) => (id.startsWith(prefix) ? [id] : [])));
    if (!hasMore) break;
  }
  const [only, ...others] = found;
  if (only === undefined)
    throw new CommandFailure(`No notebook in this project has an ID that begins with ${quote(word, 60)}.`, {
      next,
    });
  if (others.length === 0) return only;
  throw new CommandFailure(
    `Several notebook IDs begin with ${quote(word, 60)}: ${found.slice(0, 6).map(shortId).join(", ")}.`,
    { next: "Type more characters of the ID." },
  );
}

async function open(invocation: Invocation): Promise<Answer> {
  const { terminal, words, flags: given } = invocation;
  const from = given.text("from");
  const [name] = words;
  if ((name === undefined) === (from === undefined))
    throw notUnderstood("notebook new needs a name, or --from a file.", "See thoughtbox notebook --help");
  const path = from === undefined ? undefined : resolve(terminal.directory, from);
  if (path !== undefined && !statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new CommandFailure(`There is no file ${quote(from ?? "")}.`, { next: "Pass a .src.md file." });
  const opened = await inStore(
    invocation,
    (host) =>
      path === undefined
        ? ask(host, notebookCreate, { name, ...argumentsFrom(given, flags) })
        : ask(host, notebookLoad, { path }),
    path === undefined ? {} : allow(dirname(path)),
  );
  return { data: opened, lines: (context) => renderOpened(opened.notebook, context) };
}

async function list(invocation: Invocation): Promise<Answer> {
  return inStore(invocation, async (host) => {
    const page = await ask(host, notebookList, { limit: 100 });
    const answer: Answer = { data: page, lines: (context) => renderNotebooks(page, context) };
    return page.notebooks.length > 0 ? answer : addProjectHint(host, answer);
  });
}

async function run(invocation: Invocation): Promise<Answer> {
  const { terminal, words, flags: given } = invocation;
  const outcome = await inStore(invocation, async (host) =>
    runCells(host, terminal, {
      notebookId: await nameNotebook(host, requireNotebook("run", words)),
      cell: given.text("cell"),
      session: given.text("record"),
      seconds: given.text("timeout"),
    }),
  );
  return {
    data: outcome,
    lines: (context) => renderRuns(outcome, context),
    failed: outcome.status === "failed",
  };
}

async function write(invocation: Invocation): Promise<Answer> {
  const { terminal, words, flags: given } = invocation;
  const to = given.text("to");
  const path = to === undefined ? undefined : resolve(terminal.directory, to);
  const written = await inStore(
    invocation,
    async (host) =>
      ask(host, notebookExport, {
        notebookId: await nameNotebook(host, requireNotebook("export", words)),
        ...(path !== undefined && { path }),
      }),
    path === undefined ? {} : allow(path),
  );
  const { path: place, content, bytes } = written;
  // If the export is too large for an answer, the operation writes it to a file. The command still shows all of it.
  const text = path === undefined ? (content ?? (await terminal.readFile(place ?? ""))) : undefined;
  return {
    data: written,
    lines: ({ paint }) =>
      text === undefined ? [`Wrote ${place} ${paint.dim(`(${formatBytes(bytes)})`)}`] : [text.trimEnd()],
  };
}

function requireNotebook(verb: string, [word]: readonly string[]): string {
  if (word !== undefined) return word;
  throw notUnderstood(
    `notebook ${verb} needs a notebook: its ID, or latest.`,
    "thoughtbox notebook ls lists them.",
  );
}

type Page = ResultOf<typeof notebookList>;

function renderNotebooks({ notebooks, total }: Page, context: RenderContext): string[] {
  const { paint } = context;
  if (notebooks.length === 0)
    return [
      "No notebooks in this project.",
      ...renderHint("Create one: thoughtbox notebook new 'My first'", context),
    ];
  const left = total - notebooks.length;
  return [
    ...renderTable(
      context,
      [
        { title: "id", cell: ({ id }) => shortId(id), paint: paint.cyan },
        { title: "title", cell: ({ title }) => oneLine(title), flexible: 24 },
        { title: "cells", cell: ({ cellCount }) => String(cellCount), align: "right", expendable: 1 },
        { title: "language", cell: ({ language }) => language, paint: paint.dim, expendable: 2 },
        {
          title: "age",
          cell: ({ updatedAt }) => formatAge(new Date(updatedAt).toISOString(), context.now),
          align: "right",
        },
      ],
      notebooks,
    ),
    ...(left > 0 ? [paint.dim(`and ${count(left, "older notebook")}`)] : []),
  ];
}

type Notebook = ResultOf<typeof notebookCreate>["notebook"];

function renderOpened({ id, title, cells }: Notebook, context: RenderContext): string[] {
  const { paint } = context;
  const code = cells.flatMap(({ type, filename }) => (type === "code" && filename ? [filename] : []));
  return [
    `${paint.cyan(shortId(id))}  ${paint.bold(oneLine(title))}  ${paint.dim(count(cells.length, "cell"))}`,
    ...(code.length > 0 ? [`  ${code.join(", ")}`] : []),
    ...renderHint(
      code.length > 0
        ? `Run it: thoughtbox notebook run ${shortId(id)}`
        : `Add code: thoughtbox call notebook.add_cell notebookId=${id} type=code content='1 + 1'`,
      context,
    ),
  ];
}
