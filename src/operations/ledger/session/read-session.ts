import { type SessionShape, shapeInSteps } from "../../../domain/analysis/session-shape.ts";
import type { Session } from "../../../domain/ledger/session.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { runInTurns } from "../../../kernel/steps.ts";
import type { BaseContext, SessionContext } from "../../pipeline/context.ts";

const pageSize = 1_000;

/** Returns thoughts in order of arrival. Reads page by page, so that other calls can run. */
export async function readAllThoughts(
  { ledger, signal, progress }: BaseContext,
  sessionId: string,
  total: number,
): Promise<ChainedThought[]> {
  const entries: ChainedThought[] = [];
  for (;;) {
    signal.throwIfAborted();
    const page = await ledger.readEntries(sessionId, entries.at(-1)?.position ?? 0, pageSize);
    for (const entry of page) entries.push(entry);
    if (page.length < pageSize) return entries;
    progress(entries.length, total, "reading thoughts");
    await new Promise(setImmediate);
  }
}

export async function readWorkingSession(
  context: SessionContext,
): Promise<{ session: Session; shape: SessionShape }> {
  const { session } = context.callerState;
  return { session, shape: await readShape(context, session.id, session.thoughtCount) };
}

export async function readShape(
  context: BaseContext,
  sessionId: string,
  total: number,
): Promise<SessionShape> {
  return runInTurns(shapeInSteps(await readAllThoughts(context, sessionId, total)), context.signal);
}
