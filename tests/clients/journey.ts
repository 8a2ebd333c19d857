import { expect } from "vitest";

/** Makes one tool call. Resolves with `structuredContent` and fails on an error. */
export type Call = (name: string, args?: Record<string, unknown>) => Promise<any>;

/** Opens connections for one kind of client, and can kill its server without warning. */
export type Desk = {
  connect(): Promise<Call>;
  /** Kills the server with SIGKILL, so that nothing is flushed. */
  crash(): Promise<void>;
};

/** Checks that a client can think, fork, revise, read back, and continue after the server has crashed. */
export async function walkJourney(desk: Desk): Promise<void> {
  const call = await desk.connect();
  const { sessionId } = await call("start_new", { sessionTitle: "Why do logins time out?" });
  await call("cipher", { sessionId });
  await call("thought", { sessionId, thought: "S1|O|Logins time out after noon" });
  await call("thought", { sessionId, thought: "S2|H|S1|The pool runs dry" });
  const fork = { thought: "Or the proxy?", branchFromThought: 1, branchId: "proxy" };
  expect(await call("thought", { sessionId, ...fork })).toMatchObject({
    thoughtNumber: 2,
    branchId: "proxy",
  });
  const correction = { thought: "It is DNS.", revisesThought: 2 };
  expect(await call("thought", { sessionId, ...correction })).toMatchObject({ thoughtNumber: 3 });
  const { thoughts } = await call("read_thoughts", { sessionId, last: 3 });
  expect(thoughts).toMatchObject([{ thoughtNumber: 1 }, { revisedBy: [{ thoughtNumber: 3 }] }, correction]);

  await desk.crash();
  const callAgain = await desk.connect();
  const resumed = await callAgain("load_context", { sessionId });
  expect(resumed).toMatchObject({
    sessionId,
    nextThoughtNumber: 4,
    branches: [{ branchId: "proxy", nextThoughtNumber: 3 }],
  });
  await callAgain("cipher", { sessionId });
  const next = await callAgain("thought", { sessionId, thought: "Flush the resolver." });
  expect(next).toMatchObject({ thoughtNumber: 4 });
}
