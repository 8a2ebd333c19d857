import type { StandingState } from "../../domain/ledger/session.ts";

/**
 * What a legacy connection remembers: its active session, stage and project. The modern protocol has no
 * connection state, so there a caller has no binding and names the session in every call.
 */
export type Binding = StandingState & {
  sessionId?: string | undefined;
  project?: string | undefined;
  /** Whether the notation was sent over this connection in full; the stage tells nothing of that. */
  cipherRead?: true;
};

export type Caller = {
  era: "legacy" | "modern";
  transport: "stdio" | "http" | "cli" | "library";
  /** Who was let in, where somebody had to show a token. */
  principal?: string | undefined;
  /** Present exactly for legacy connections. */
  binding?: Binding | undefined;
  /** False for web pages that are not ours: they may read and record, but never run code. */
  mayRunCells?: boolean | undefined;
  /** Whether a token was shown. */
  hasToken?: boolean | undefined;
  /** What the client declared it can be asked for. */
  can: { roots: boolean; sampling: boolean };
};

export function createBinding(): Binding {
  return { stage: 0, navigation: {} };
}
