import { formatSilence } from "../text/time-words.ts";
import type { Session } from "./thought.ts";

/**
 * Whether an agent is working on a session, by this browser's clock. The server sends only the stored status.
 */
export type Liveness = "thinking" | "open" | "quiet" | "ended";
export const LIVENESS = ["thinking", "open", "quiet", "ended"] as const satisfies readonly Liveness[];

const THINKS_FOR = 120_000;
const OPEN_FOR = 60 * 60_000;
/** Milliseconds that clients may need to write a transcript's last lines after they close the connection. */
const LAST_WORDS = 5_000;

type Seen = Pick<Session, "status" | "updatedAt" | "signAt" | "leftAt" | "story" | "running">;

/** Returns when the session was last active: its last thought, or the last line in its transcript. */
export function lastSignOf({ story, updatedAt, signAt }: Seen): number {
  const thought = Date.parse(story?.lastAt ?? updatedAt);
  return signAt === undefined ? thought : Math.max(thought, Date.parse(signAt));
}

export function livenessOf(session: Seen, now: number): Liveness {
  if (session.status === "completed") return "ended";
  const heard = lastSignOf(session);
  if (session.status === "abandoned" || hasLeft(session, heard)) return "quiet";
  if (asksUser(session, now)) return "open";
  return runningOf(session, now) ? "thinking" : livenessAt(heard, now);
}

/** Tools with which agents ask their user. The calls of these tools run until the user answers. */
const askingTool = /^(?:AskUserQuestion|ExitPlanMode|ask_user|ask_followup_question|request_user_input)\b/;

/** Returns whether the agent is waiting for its user's answer. */
export const asksUser = (session: Seen, now: number): boolean =>
  askingTool.test(runningOf(session, now)?.command ?? "");

/**
 * Returns what the agent is doing, if the last line of its transcript is a call. Returns nothing after an
 * hour without a sign, because the process was probably killed.
 */
export function runningOf(session: Seen, now: number): Seen["running"] {
  const { running, status } = session;
  const heard = lastSignOf(session);
  const isOver = status !== "active" || hasLeft(session, heard) || now - heard > OPEN_FOR;
  return isOver ? undefined : running;
}

/** Returns whether the agent's process has ended and no agent has written to the session since then. */
const hasLeft = ({ leftAt }: Seen, heard: number): boolean =>
  leftAt !== undefined && heard <= Date.parse(leftAt) + LAST_WORDS;

/** Returns the state of an agent that was last active at a given time. */
export function livenessAt(heard: number, now: number): Exclude<Liveness, "ended"> {
  const silent = now - heard;
  return silent <= THINKS_FOR ? "thinking" : silent <= OPEN_FOR ? "open" : "quiet";
}

/** Returns `thinking 6 s`, `open 18 min`, `quiet 2 h`, `quiet 3 days` or `ended`. */
export function livenessWords(session: Seen, now: number): string {
  const state = livenessOf(session, now);
  return state === "ended" ? state : `${state} ${formatSilence(now - lastSignOf(session))}`;
}
