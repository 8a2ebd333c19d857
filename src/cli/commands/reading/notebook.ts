import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { quote } from "../../../kernel/text.ts";
import { notebookCreate } from "../../../operations/ledger/notebook/notebook-create.ts";
import { notebookExport } from "../../../operations/ledger/notebook/notebook-export.ts";
import { notebookList } from "../../../operations/ledger/notebook/notebook-list.ts";
import { notebookLoad } from "../../../operations/ledger/notebook/notebook-load.ts";
import { ask, withStore } from "../../ask.ts";
import type { Answer, Command, Invocation } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import type { Host } from "../../host.ts";
import { nameNotebook } from "../../notebook/name-notebook.ts";
import { renderNotebooks, renderOpened } from "../../notebook/render-notebooks.ts";
import { renderRuns } from "../../notebook/render-runs.ts";
import { runCells } from "../../notebook/run-cells.ts";
import { argumentsFrom, type FieldFlags, optionsFrom } from "../../operation-options.ts";
import { formatBytes } from "../../rendering/words.ts";
import { allow } from "../moving/export.ts";

const flags: FieldFlags = {
  language: { field: "language", value: "language" },
  template: { field: "template", value: "template" },
};

const verbs = { new: open, run, export: write, ls: list };

export const notebook: Command = {
  name: "notebook",
  group: "Look",
  summary: "Notebooks, prose and code that runs: make, list, run or export one.",
  words: [`<${Object.keys(verbs).join("|")}>`, "[name|notebook]"],
  options: {
    ...optionsFrom(notebookCreate, flags),
    from: { value: "place", describe: "new: a .src.md file to make it from, ours or one of Srcbook." },
    cell: { value: "file", describe: "run: that cell alone, by its filename or id; default all in order." },
    record: { value: "session", describe: "run: records each run as evidence in this session." },
    timeout: { value: "seconds", describe: "run: ends a cell that takes longer; default 30." },
    to: { value: "place", describe: "export: directory or file to write; default stdout." },
    project: { value: "name", describe: "Another project than yours." },
  },
  details: [
    "A notebook is named by its id, the beginning of it, or latest. Cells run in the sandbox that thoughtbox doctor names.",
    "run stops at the first cell that fails, and ends with 1.",
  ],
  examples: [
    { line: "thoughtbox notebook new 'Where does the cent go?'", shows: "a blank notebook" },
    { line: "thoughtbox notebook ls", shows: "the latest changed first" },
    { line: "thoughtbox notebook run latest", shows: "every cell in order" },
    { line: "thoughtbox notebook export latest --to cent.src.md", shows: "to hand over" },
  ],

  async run(invocation) {
    const [verb = "", ...rest] = invocation.words;
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

async function open(invocation: Invocation): Promise<Answer> {
  const { terminal, words, flags: given } = invocation;
  const from = given.text("from");
  const [name] = words;
  if ((name === undefined) === (from === undefined))
    throw notUnderstood("notebook new needs a name, or --from a file.", "See thoughtbox notebook --help");
  const path = from === undefined ? undefined : resolve(terminal.directory, from);
  if (path !== undefined && !statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new CommandFailure(`There is no file ${quote(from ?? "")}.`, { next: "Name a .src.md file." });
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
  const page = await inStore(invocation, (host) => ask(host, notebookList, { limit: 100 }));
  return { data: page, lines: (context) => renderNotebooks(page, context) };
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
  // What is too large for an answer was written to a file; whoever asked for it still gets it.
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
    `notebook ${verb} needs a notebook: its id, or latest.`,
    "thoughtbox notebook ls lists them.",
  );
}
