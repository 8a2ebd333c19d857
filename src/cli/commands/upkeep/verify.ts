import { count } from "../../../kernel/numbers.ts";
import { sessionGet } from "../../../operations/ledger/session/session.ts";
import { ask, flushFiles, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { notUnderstood } from "../../failure.ts";
import { nameSession } from "../../name-session.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { indented, renderMark, renderStatement } from "../../rendering/statement.ts";
import { cut } from "../../rendering/width.ts";
import { oneLine, shortId } from "../../rendering/words.ts";
import {
  type NotebookVerdict,
  type Verdict,
  verifyAll,
  verifyNotebooks,
  verifyOne,
} from "../../verify-store.ts";

export const verify: Command = {
  name: "verify",
  group: "Care",
  summary: "Verify that no record was changed or lost.",
  words: ["[session]"],
  options: { all: { describe: "Verify every session. This is the default." } },
  details: [
    "Recomputes the hash chain of each session and compares its JSON files with the store byte by byte.",
    "Notebooks have no hash chain. verify counts their cells and compares their files with the store.",
    "Exits with 1 if something is wrong.",
  ],
  examples: [
    { line: "thoughtbox verify latest", shows: "the newest session" },
    { line: "thoughtbox verify --all", shows: "everything" },
  ],

  async run({ terminal, words: [word], flags }) {
    if (word !== undefined && flags.has("all")) throw notUnderstood("Pass a session or --all, not both.");
    const bar = createProgressBar(terminal, "verifying sessions");
    const { verdicts, notebooks } = await withStore(terminal, async (host) => {
      await flushFiles(terminal, host);
      if (word === undefined)
        return {
          verdicts: await verifyAll(host, { signal: terminal.stop, progress: bar.update }),
          notebooks: await verifyNotebooks(host),
        };
      const sessionId = await nameSession(host, word);
      const { session } = await ask(host, sessionGet, { sessionId });
      return {
        verdicts: [await verifyOne(host, { id: sessionId, title: session.title }, terminal.stop)],
        notebooks: undefined,
      };
    }).finally(bar.end);
    const bad = verdicts.filter(({ valid }) => !valid);
    const failed = bad.length > 0 || (notebooks?.errors.length ?? 0) > 0;
    return {
      data: { valid: !failed, sessions: verdicts, ...(notebooks && { notebooks }) },
      lines: (context) => [
        ...renderVerdicts(verdicts, bad, context),
        ...(notebooks ? renderNotebooks(notebooks, context) : []),
      ],
      failed,
    };
  },
};

function renderVerdicts(
  verdicts: readonly Verdict[],
  bad: readonly Verdict[],
  context: RenderContext,
): string[] {
  const proven = verdicts.reduce((sum, { verified }) => sum + verified, 0);
  if (verdicts.length === 0) return ["No sessions to verify."];
  const whole = `${count(verdicts.length, "session")}, ${count(proven, "thought")}`;
  if (bad.length === 0) return renderStatement("good", `${whole}: nothing was changed or lost.`, context);
  return [
    ...bad.flatMap((verdict) => renderVerdict(verdict, context)),
    "",
    ...renderStatement(
      "bad",
      `Changed or damaged: ${bad.length} of ${count(verdicts.length, "session")}.`,
      context,
    ),
    ...indented("thoughtbox doctor --repair recreates damaged files and deletes nothing.", context).map(
      context.paint.dim,
    ),
  ];
}

function renderNotebooks({ notebooks, errors }: NotebookVerdict, context: RenderContext): string[] {
  if (errors.length > 0)
    return [
      ...renderStatement("bad", `${count(notebooks, "notebook")} checked. Changed or damaged:`, context),
      ...errors.flatMap((error) => indented(oneLine(error), context, 4)),
    ];
  if (notebooks === 0) return [];
  return renderStatement(
    "good",
    `${count(notebooks, "notebook")}: files and cells are as recorded.`,
    context,
  );
}

function renderVerdict({ sessionId, title, errors }: Verdict, context: RenderContext): string[] {
  const { paint, width } = context;
  return [
    `${renderMark("bad", context)} ${paint.cyan(shortId(sessionId))}  ${paint.bold(cut(oneLine(title), width - 12))}`,
    ...errors.flatMap((error) => indented(oneLine(error), context, 4)),
  ];
}
