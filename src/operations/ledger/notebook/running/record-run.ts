import { formatStep } from "../../../../domain/cipher/parse.ts";
import { cellLink } from "../../../../domain/notebook/cell-link.ts";
import { titleOf } from "../../../../domain/notebook/notebook.ts";
import { clipWhole } from "../../../../kernel/secrets/secrets-policy.ts";
import { visible } from "../../../../kernel/text.ts";
import type { RunResult } from "../../../../ports/notebook/cell-runner.ts";
import type { StoredNotebook } from "../../../../ports/notebook/notebook-store.ts";
import { resolveCallerState } from "../../../pipeline/caller-state.ts";
import type { OperationContext } from "../../../pipeline/context.ts";
import { chooseOwnBranch, recordThought } from "../../thought/record-thought.ts";
import { excerpt } from "../cells/cell-answer.ts";
import type { CodeCell } from "./run-cell-now.ts";

export type RecordAs = { sessionId: string; type: "E" | "O"; references: readonly number[] };

/** The maximum number of output characters that the thought quotes. The cell keeps all output. */
const longestEvidence = 4_000;
const longestFinding = 300;

/** Refuses to run a cell if its result could not be recorded. Called before the run. */
export async function requireRecord(
  context: OperationContext<"SESSION_NOT_FOUND" | "THOUGHT_NOT_FOUND">,
  recordAs: RecordAs | undefined,
): Promise<void> {
  if (!recordAs) return;
  const { session } = await resolveCallerState(context, context.caller, recordAs.sessionId);
  if (session?.id !== recordAs.sessionId)
    return context.fail("SESSION_NOT_FOUND", "The session to record the run in does not exist.", {
      recovery: { hint: "List the existing sessions.", operation: "list_sessions", args: {} },
    });
  const index = await context.ledger.loadIndex(recordAs.sessionId);
  const ownBranch = chooseOwnBranch(context.caller, recordAs.sessionId);
  const known = new Set([...index.chain(), ...(ownBranch === undefined ? [] : index.chain(ownBranch))]);
  const lost = recordAs.references.filter((number) => !known.has(number));
  if (lost.length > 0)
    context.fail(
      "THOUGHT_NOT_FOUND",
      `recordAs refers to ${lost.map((number) => `S${number}`).join(", ")}, which the session does not have. Nothing was run.`,
      {
        details: { missing: lost, highest: index.chain().at(-1) ?? 0 },
        recovery: {
          hint: "List the existing thoughts.",
          operation: "get_structure",
          args: { sessionId: recordAs.sessionId },
        },
      },
    );
}

export async function recordRun(
  context: OperationContext,
  { sessionId, type, references }: RecordAs,
  notebook: StoredNotebook,
  cell: CodeCell,
  { result, startedAt }: { result: RunResult; startedAt: number },
): Promise<{ sessionId: string; branchId?: string; thoughtNumber: number }> {
  const index = await context.ledger.loadIndex(sessionId);
  const ownBranch = chooseOwnBranch(context.caller, sessionId);
  // The step's number if nothing else is recorded first. A new branch continues the main chain's numbers.
  const number = (index.chain(ownBranch).at(-1) ?? index.chain().at(-1) ?? 0) + 1;
  const link = linkTo(context, notebook, cell, startedAt);
  const thought = formatStep({
    number,
    type,
    references: references.map((reference) => ({ number: reference, revises: false, inline: false })),
    content: describe(notebook, cell, result, link),
  });
  const input = { thought, nextThoughtNeeded: true, isStep: true };
  const receipt = await recordThought({ ...context, once: undefined }, sessionId, input, { ownBranch });
  const { branchId, thoughtNumber } = receipt.entry.data;
  return { sessionId, ...(branchId !== undefined && { branchId }), thoughtNumber };
}

/** A link to a notebook outside the server's project must contain a session ID. */
function linkTo(
  { callerState, settings }: OperationContext,
  notebook: StoredNotebook,
  cell: CodeCell,
  run: number,
): string {
  const isNamed = notebook.project !== settings.project && callerState.sessionId !== undefined;
  return cellLink({
    notebookId: notebook.id,
    cellId: cell.id,
    version: cell.version,
    run,
    ...(isNamed && { sessionId: callerState.sessionId }),
  });
}

/** Describes the run. The text starts with the outcome, so that a list of thoughts shows the outcome. */
function describe(notebook: StoredNotebook, cell: CodeCell, result: RunResult, link: string): string {
  const { status, error, value, output, durationMs, exitCode, sandbox } = result;
  const firstLine = (text = "") => text.trim().split("\n", 1)[0]?.trim() ?? "";
  const findings = [firstLine(error), oneLine(value), firstLine(output)].filter((text) => text !== "");
  const finding =
    findings.map((text) => clipWhole(text, longestFinding)).join(" · ") || describeDisplays(result);
  const ran = `(${cell.filename} of notebook “${titleOf(notebook)}”: ${status}, exit ${exitCode ?? "none"}, ${durationMs} ms, sandbox ${sandbox})`;
  const said = [error, value, output].flatMap((text) => (text?.trim() ? [text.trim()] : []));
  const isAllSaid = said.map(oneLine).join(" · ") === finding;
  const rest = said.length === 0 || isAllSaid ? "" : ` ${excerpt(said.join("\n"), longestEvidence)}`;
  return visible(`${withoutReferences(`${finding} ${ran}${rest}`)} ${link}`);
}

function describeDisplays({ displays }: RunResult): string {
  const mimes = [...new Set(displays.map(({ mime }) => mime))];
  return mimes.length === 0 ? "The cell printed nothing." : `The cell displayed ${mimes.join(", ")}.`;
}

/** Escapes `[S1]` in printed text, which is evidence and must not link to a step. */
const withoutReferences = (text: string): string =>
  text.replaceAll(/\[(?=(?:[a-z\d-]{1,64}:)?s\d{1,15})/gi, "[\\");

const oneLine = (text = ""): string => text.trim().replaceAll(/\s+/g, " ");
