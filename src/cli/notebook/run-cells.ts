import { count } from "../../kernel/numbers.ts";
import { visible } from "../../kernel/text.ts";
import { notebookListCells } from "../../operations/ledger/notebook/cells/notebook-cell.ts";
import { notebookRunCell } from "../../operations/ledger/notebook/running/notebook-run-cell.ts";
import type { ResultOf } from "../../operations/pipeline/operation.ts";
import { ask } from "../ask.ts";
import { notUnderstood } from "../failure.ts";
import type { Host, Terminal } from "../host.ts";
import { nameSession } from "../name-session.ts";
import { createProgressBar } from "../rendering/progress.ts";
import type { RenderContext } from "../rendering/render-context.ts";
import { renderMark, renderStatement } from "../rendering/statement.ts";
import { shortId } from "../rendering/words.ts";

export type CellRuns = {
  notebookId: string;
  status: "completed" | "failed";
  ran: ResultOf<typeof notebookRunCell>[];
  notRun: number;
};

type Wish = Record<"cell" | "session" | "seconds", string | undefined> & { notebookId: string };

/** Runs cells one after the other and shows the whole output of each. Stops at the first cell that fails. */
export async function runCells(host: Host, terminal: Terminal, wish: Wish): Promise<CellRuns> {
  const { notebookId, cell, session } = wish;
  const recordAs =
    session === undefined ? undefined : { sessionId: await nameSession(host, session, "change") };
  const timeoutMs = readSeconds(wish.seconds);
  const named = cell === undefined ? await codeCells(host, notebookId) : [cell];
  const bar = createProgressBar(terminal, "running cells");
  const ran: CellRuns["ran"] = [];
  try {
    for (const cellId of named) {
      bar.update(ran.length, named.length);
      const args = { notebookId, cellId, ...(timeoutMs && { timeoutMs }), ...(recordAs && { recordAs }) };
      const result = await ask(host, notebookRunCell, args, { signal: terminal.stop });
      ran.push(result);
      if (result.status === "failed") break;
    }
  } finally {
    bar.end();
  }
  const failed = ran.some(({ status }) => status === "failed");
  return { notebookId, status: failed ? "failed" : "completed", ran, notRun: named.length - ran.length };
}

async function codeCells(host: Host, notebookId: string): Promise<string[]> {
  const found: string[] = [];
  for (let offset = 0; ; ) {
    const { cells, hasMore } = await ask(host, notebookListCells, { notebookId, offset });
    found.push(...cells.flatMap(({ id, type }) => (type === "code" ? [id] : [])));
    if (!hasMore || cells.length === 0) return found;
    offset += cells.length;
  }
}

function readSeconds(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const seconds = Number(typed);
  if (Number.isFinite(seconds) && seconds > 0) return Math.round(seconds * 1_000);
  throw notUnderstood("--timeout must be a number of seconds.", "See thoughtbox notebook --help");
}

type CellRun = CellRuns["ran"][number];

export function renderRuns({ ran, notRun, status }: CellRuns, context: RenderContext): string[] {
  if (ran.length === 0) return ["The notebook has no code cell to run."];
  const sandbox = ran.at(-1)?.cell.run?.sandbox ?? "unknown";
  const mark = status === "failed" ? "bad" : "good";
  return [
    ...ran.flatMap((run) => renderRun(run, context)),
    ...renderStatement(mark, `${countRuns({ ran, notRun })}. Sandbox: ${sandbox}.`, context),
  ];
}

function countRuns({ ran, notRun }: Pick<CellRuns, "ran" | "notRun">): string {
  const failed = ran.filter(({ status }) => status === "failed").length;
  if (failed + notRun === 0) return `${count(ran.length, "cell")} passed`;
  return [
    `${ran.length - failed} of ${count(ran.length + notRun, "cell")} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(notRun > 0 ? [`${notRun} did not run`] : []),
  ].join(", ");
}

function renderRun({ status, output, error, cell, recorded }: CellRun, context: RenderContext): string[] {
  const { paint } = context;
  const { durationMs, exitCode, value, displays = [], stoppedBy } = cell.run ?? {};
  const facts = [
    ...(durationMs === undefined ? [] : [`${durationMs} ms`]),
    ...(status === "failed" && exitCode ? [`exit ${exitCode}`] : []),
    ...(stoppedBy === undefined ? [] : [`stopped: ${stoppedBy}`]),
    ...(recorded ? [`recorded as ${addressOf(recorded)}`] : []),
  ].join(" · ");
  const name = cell.filename ?? cell.id;
  return [
    `${renderMark(status === "failed" ? "bad" : "good", context)} ${paint.bold(name)}  ${paint.dim(facts)}`,
    ...block(output),
    ...(value === undefined ? [] : block(value).map(paint.cyan)),
    ...displays.flatMap(({ mime, data }) =>
      mime.startsWith("image/")
        ? [paint.dim(`  ${mime}, ${data.length} characters, shown in the Observatory`)]
        : block(data),
    ),
    ...(error === null ? [] : block(error).map(paint.red)),
    "",
  ];
}

const addressOf = ({ sessionId, branchId, thoughtNumber }: NonNullable<CellRun["recorded"]>): string =>
  [shortId(sessionId), ...(branchId === undefined ? [] : [branchId]), thoughtNumber].join(":");

/** Prepares a cell's output so that it cannot control the terminal. */
const block = (text: string): string[] =>
  text.trimEnd() === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => `  ${visible(line)}`);
