import { cellLink } from "../../../../domain/notebook/cell-link.ts";
import { titleOf } from "../../../../domain/notebook/notebook.ts";
import { visible } from "../../../../kernel/text.ts";
import type { RunResult } from "../../../../ports/notebook/cell-runner.ts";
import type { StoredNotebook } from "../../../../ports/notebook/notebook-store.ts";
import type { OperationContext } from "../../../pipeline/context.ts";
import { resolveStanding } from "../../../pipeline/standing.ts";
import { announceThought, recordThought } from "../../thought/record-thought.ts";
import { excerpt } from "../cells/cell-answer.ts";
import type { CodeCell } from "./run-cell-now.ts";

export type RecordAs = { sessionId: string; type: "E" | "O"; references: readonly number[] };

/** What of the output stands in the thought; the whole stays with the cell. */
const longestEvidence = 4_000;

/** Refused before anything runs: a run that cannot be recorded would have been for nothing. */
export async function requireRecord(
  context: OperationContext<"SESSION_NOT_FOUND">,
  recordAs: RecordAs | undefined,
): Promise<void> {
  if (!recordAs) return;
  const { session } = await resolveStanding(context, context.caller, recordAs.sessionId);
  if (session?.id === recordAs.sessionId) return;
  context.fail("SESSION_NOT_FOUND", "The session to record the run in does not exist.", {
    recovery: { hint: "See which sessions there are.", operation: "list_sessions", args: {} },
  });
}

/** The run as a step of the session, with its output as evidence and a link to the cell. */
export async function recordRun(
  context: OperationContext,
  { sessionId, type, references }: RecordAs,
  notebook: StoredNotebook,
  cell: CodeCell,
  { result, startedAt }: { result: RunResult; startedAt: number },
): Promise<{ sessionId: string; thoughtNumber: number }> {
  const index = await context.ledger.loadIndex(sessionId);
  const number = (index.chain().at(-1) ?? 0) + 1;
  const refs = references.map((reference) => `S${reference}`).join(",");
  const link = linkTo(context, notebook, cell, startedAt);
  const thought = `S${number}|${type}|${refs === "" ? "" : `${refs}|`}${describe(notebook, cell, result, link)}`;
  const receipt = await recordThought({ ...context, once: undefined }, sessionId, {
    thought,
    nextThoughtNeeded: true,
  });
  announceThought(context, receipt);
  return { sessionId, thoughtNumber: receipt.entry.data.thoughtNumber };
}

/** The address of the run; outside the server's own project a reader must say by which session. */
function linkTo(
  { standing, settings }: OperationContext,
  notebook: StoredNotebook,
  cell: CodeCell,
  run: number,
): string {
  const isNamed = notebook.project !== settings.project && standing.sessionId !== undefined;
  return cellLink({
    notebookId: notebook.id,
    cellId: cell.id,
    version: cell.version,
    run,
    ...(isNamed && { sessionId: standing.sessionId }),
  });
}

function describe(notebook: StoredNotebook, cell: CodeCell, result: RunResult, link: string): string {
  const { status, error, value, output, durationMs, exitCode, sandbox } = result;
  const said = [error, value, output].filter((text) => text !== undefined && text.trim() !== "").join("\n");
  const head = `Ran ${cell.filename} of notebook “${titleOf(notebook)}”: ${status}, exit ${exitCode ?? "none"}, ${durationMs} ms, sandbox ${sandbox}.`;
  return visible(
    `${head} ${link} ${said === "" ? "It printed nothing." : excerpt(said.trim(), longestEvidence)}`,
  );
}
