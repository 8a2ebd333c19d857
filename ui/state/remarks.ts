import { effect } from "@preact/signals";
import type { RemarkRequest, RemarksAnswer, ThoughtRemarks } from "../../src/observatory/wire.ts";
import { type Columns, MAIN, MARKS, NONE } from "../model/columns.ts";
import type { Get, Post } from "./http.ts";
import type { OpenSession } from "./session.ts";
import type { Named } from "./watching.ts";

/**
 * Reads the remarks on a session. Later remarks arrive over the connection. Returns a function that ends the
 * subscription.
 */
export function followRemarks(session: OpenSession, get: Get): () => void {
  const abort = new AbortController();
  const stop = effect(() => {
    session.columns.value;
    if (session.phase.value !== "ready") return;
    const path = `/api/sessions/${encodeURIComponent(session.id)}/remarks`;
    void get<RemarksAnswer>(path, {}, abort.signal).then((fetched) => {
      if ("answer" in fetched) session.setRemarks(fetched.answer.remarks);
    });
  });
  return () => {
    stop();
    abort.abort();
  };
}

/** Marks the thoughts that have a ★ or a comment, and unmarks the others. */
export function markRemarked(
  columns: Columns,
  before: readonly ThoughtRemarks[],
  now: readonly ThoughtRemarks[],
): void {
  const mark = (remarks: readonly ThoughtRemarks[], counts: boolean) => {
    for (const { branchId, thoughtNumber, starredAt, comments } of remarks) {
      const chain = branchId === undefined ? MAIN : columns.chainOf(branchId);
      const index = chain === undefined ? NONE : columns.find(chain, thoughtNumber);
      if (index === NONE) continue;
      columns.setMark(index, MARKS.starred, counts && starredAt !== undefined);
      columns.setMark(index, MARKS.commented, counts && comments.length > 0);
    }
  };
  mark(before, false);
  mark(now, true);
}

export const remarksOn = (
  remarks: readonly ThoughtRemarks[],
  { branch, number }: Named,
): ThoughtRemarks | undefined =>
  remarks.find(({ branchId, thoughtNumber }) => branchId === branch && thoughtNumber === number);

type Said = Pick<RemarkRequest, "comment" | "star" | "withdraw">;

/** Sends one remark. Returns the error, if any. The change itself arrives over the connection. */
export async function sendRemark(
  post: Post,
  session: OpenSession,
  { branch, number }: Named,
  said: Said,
): Promise<string | undefined> {
  const request: RemarkRequest = {
    sessionId: session.id,
    thoughtNumber: number,
    ...(branch !== undefined && { branchId: branch }),
    ...said,
  };
  const sent = await post<ThoughtRemarks>("/api/remarks", request);
  if ("failed" in sent) return sent.failed.message;
  const { branchId, thoughtNumber, starredAt, comments } = sent.answer;
  const others = session.remarks
    .peek()
    .filter((one) => one.branchId !== branchId || one.thoughtNumber !== thoughtNumber);
  session.setRemarks([
    ...others,
    {
      thoughtNumber,
      comments,
      ...(branchId !== undefined && { branchId }),
      ...(starredAt !== undefined && { starredAt }),
    },
  ]);
  return undefined;
}
