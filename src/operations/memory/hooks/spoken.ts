import type { KeptAction } from "../../../domain/actions/kept-action.ts";

type Notice = Extract<KeptAction, { type: "notice" }>;

/** Remembers notices, so that none is repeated and each call is stopped at most once. */
export type Spoken = {
  /** Returns true only at the first call for this fact in the session. */
  isNew(sessionId: string, fact: string): boolean;
  /** Returns and removes the notice that stopped this call. */
  takeDenied(sessionId: string, call: string): Notice | undefined;
  keepDenied(sessionId: string, call: string, notice: Notice): void;
  /** Keeps a notice until it is known whether the agent made the call. */
  keepOpen(sessionId: string, notice: Notice): void;
  takeOpen(sessionId: string): readonly Notice[];
};

const mostSessions = 500;
const mostOfSession = 200;

type Told = { facts: Set<string>; denied: Map<string, Notice>; open: Notice[] };

export function createSpoken(): Spoken {
  const sessions = new Map<string, Told>();
  function of(sessionId: string): Told {
    const told = sessions.get(sessionId) ?? { facts: new Set(), denied: new Map(), open: [] };
    sessions.delete(sessionId);
    sessions.set(sessionId, told);
    const [oldest] = sessions.keys();
    if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest);
    return told;
  }
  return {
    isNew(sessionId, fact) {
      const { facts } = of(sessionId);
      if (facts.has(fact) || facts.size >= mostOfSession) return false;
      facts.add(fact);
      return true;
    },
    takeDenied(sessionId, call) {
      const { denied } = of(sessionId);
      const notice = denied.get(call);
      denied.delete(call);
      return notice;
    },
    keepDenied: (sessionId, call, notice) => void of(sessionId).denied.set(call, notice),
    keepOpen: (sessionId, notice) => void of(sessionId).open.push(notice),
    takeOpen(sessionId) {
      const told = sessions.get(sessionId);
      return told ? told.open.splice(0) : [];
    },
  };
}
