import { setTimeout as wait } from "node:timers/promises";
import type { Cell } from "../../../../domain/notebook/notebook.ts";
import type { Display, RunResult, SandboxLevel } from "../../../../ports/notebook/cell-runner.ts";
import type { StoredNotebook } from "../../../../ports/notebook/notebook-store.ts";
import type { BaseContext, OperationContext } from "../../../pipeline/context.ts";
import { describeThrown } from "../../../pipeline/recoveries.ts";
import { guardText } from "../../../pipeline/secrets.ts";
import { aliveMs, type JoinedQueue, joinQueue, keepRenewing } from "./cell-queue.ts";

export type CodeCell = Extract<Cell, { type: "code" }>;

type RunNow = {
  timeoutMs: number;
  /** True if a thought will quote the run, which must therefore be kept. */
  isEvidence: boolean;
  /** The queue in which the cell waits. If omitted, the cell joins a queue as soon as it must wait. */
  queue?: JoinedQueue | undefined;
  progress(message: string): void;
};

const pollMs = 50;

/**
 * Waits for other runs of the same notebook, in any process, then runs one cell. The run is recorded before
 * the promise resolves, even if the run was cancelled.
 */
export async function runCellNow(
  context: OperationContext,
  notebook: StoredNotebook,
  cell: CodeCell,
  { timeoutMs, isEvidence, queue, progress }: RunNow,
): Promise<{ result: RunResult; startedAt: number }> {
  const { notebooks, cells, clock, signal } = context;
  const { runId, startedAt } = await takeTurn(context, notebook.id, cell, { queue, progress });
  const stopRenewing = keepRenewing(context, (expiresAt) => notebooks.renewRun(runId, expiresAt));
  const { id: notebookId, project, tsconfig, net } = notebook;
  try {
    const now = (await notebooks.readNotebook(project, notebookId)) ?? notebook;
    const files = [cell, ...othersOf(now, cell)].map(({ filename, source }) => ({ filename, source }));
    const request = { notebookId, files, entry: cell.filename, tsconfig, net, timeoutMs };
    const result = await guardResult(context, cell.filename, await cells.run(request, { signal, progress }));
    await notebooks.endRun(runId, result, clock().getTime(), { isEvidence });
    signal.throwIfAborted();
    return { result, startedAt };
  } catch (thrown) {
    if (!signal.aborted)
      await notebooks.endRun(runId, notStarted(thrown), clock().getTime(), { isEvidence: false });
    throw thrown;
  } finally {
    stopRenewing();
  }
}

/**
 * Returns the cells that a run can import. Call this after the run has started, because only a later edit
 * makes the run's result stale.
 */
const othersOf = ({ cells }: StoredNotebook, { id, filename }: CodeCell): CodeCell[] =>
  cells.filter((one): one is CodeCell => one.type === "code" && one.id !== id && one.filename !== filename);

async function takeTurn(
  context: OperationContext,
  notebookId: string,
  { id: cellId, version }: CodeCell,
  { queue, progress }: Pick<RunNow, "queue" | "progress">,
): Promise<{ runId: number; startedAt: number }> {
  const { notebooks, clock, signal } = context;
  let own: JoinedQueue | undefined;
  try {
    for (let waited = false; ; waited = true) {
      signal.throwIfAborted();
      const at = clock().getTime();
      const runId = await notebooks.beginRun({
        notebookId,
        cellId,
        version,
        at,
        expiresAt: at + aliveMs,
        queue: (queue ?? own)?.without(cellId),
      });
      if (runId !== undefined) return { runId, startedAt: at };
      if (!waited) progress("waiting for another cell in the notebook");
      if (!waited && !queue) own = await joinQueue(context, notebookId, [cellId]);
      await wait(pollMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    await own?.leave();
  }
}

function notStarted(thrown: unknown): RunResult {
  const error = describeThrown(thrown);
  const nothing = { output: "", truncated: false, displays: [], exitCode: null, durationMs: 0 };
  return { status: "failed", error, ...nothing, sandbox: "none" };
}

/** Applies the secrets setting to output and errors, because they are stored. Other calls can run between two texts. */
async function guardResult(
  context: OperationContext,
  filename: string,
  result: RunResult,
): Promise<RunResult> {
  const guard = async (part: string, text: string): Promise<string> => {
    await new Promise(setImmediate);
    return guardText(`${part} of ${filename}`, text, context);
  };
  const { value, error } = result;
  const displays: Display[] = [];
  for (const { mime, data } of result.displays)
    displays.push({ mime, data: mime === "image/png" ? data : await guard("display", data) });
  return {
    ...result,
    output: await guard("output", result.output),
    ...(value !== undefined && { value: await guard("value", value) }),
    ...(error !== undefined && { error: await guard("error", error) }),
    displays,
  };
}

/** At these levels, a cell cannot reach the rest of the machine through the network or with signals. */
const safeAnywhere: readonly (SandboxLevel | undefined)[] = ["strong", "medium"];

/**
 * A web page may never run code. At levels below `medium`, code runs only through tools for which clients ask
 * their users. Over HTTP, the caller also needs the token.
 */
async function allowRunning({
  cells,
  caller,
  viaGateway,
  fail,
}: BaseContext<"SANDBOX_REQUIRED">): Promise<void> {
  if (caller.mayRunCells === false)
    fail("SANDBOX_REQUIRED", "A web page cannot run cells or install packages.", {
      recovery: { hint: "Call from a program or from the Observatory, or send the token as a bearer token." },
    });
  const { level, raise } = await cells.sandbox();
  if (safeAnywhere.includes(level)) return;
  const raising =
    raise === undefined
      ? "Run thoughtbox doctor to see what a higher level needs"
      : `To raise the level, run: ${raise}`;
  const found = level === undefined ? "No sandbox is available here." : `The sandbox level here is ${level}.`;
  if (viaGateway)
    fail("SANDBOX_REQUIRED", `${found} The gateway runs cells only at the medium or strong level.`, {
      details: { level: level ?? null },
      recovery: {
        hint: `Use the tools notebook_run_cell, notebook_run_all or notebook_install_deps. ${raising}.`,
      },
    });
  if (caller.transport === "http" && !caller.hasToken)
    fail("SANDBOX_REQUIRED", `${found} Over HTTP, cells at this level run only with the token.`, {
      details: { level: level ?? null },
      recovery: { hint: `Send the token as a bearer token, or raise the sandbox level. ${raising}.` },
    });
}

/** Runs `work`, or refuses if too many runs are waiting. */
export async function whenAllowed<Result>(
  context: BaseContext<"SANDBOX_REQUIRED">,
  work: () => Promise<Result>,
): Promise<Result> {
  await allowRunning(context);
  const { caller, cells, fail } = context;
  // Clients of the newer protocol have no connection, so the admitted user identifies them.
  const leave = cells.enter(caller.binding ?? caller.principal ?? caller.transport);
  if (!leave)
    return fail("SANDBOX_REQUIRED", "Too many runs and installations are already waiting. Nothing was run.", {
      recovery: { hint: "Send the same call again when one of them has finished." },
    });
  try {
    return await work();
  } finally {
    leave();
  }
}
