import type { StandingState } from "../../domain/ledger/session.ts";
import type { Origin } from "../../ports/conversations.ts";

/**
 * What a legacy connection remembers of each conversation over it: its active session, stage and project. The modern
 * protocol has no connections: there the conversation stands for one, and the stage is stored with the session.
 */
export type Binding = StandingState & {
  sessionId?: string | undefined;
  project?: string | undefined;
  /** Whether the notation was sent over this connection in full; the stage tells nothing of that. */
  cipherRead?: true;
};

/** What the client says this call belongs to. */
export type Conversation = {
  id: string;
  /** Set for a sub-agent that can be told apart from the agent that started it. */
  agent?: string | undefined;
};

/** What a stdio server remembers as long as one client alone speaks to it. */
export type LoneMemory = { readonly id: string; sessionId?: string | undefined };

export type Caller = {
  era: "legacy" | "modern";
  transport: "stdio" | "http" | "cli" | "library";
  /** Who was let in, where somebody had to show a token. */
  principal?: string | undefined;
  /** What the client calls itself; absent on the command line and in a program that embeds us. */
  client?: string | undefined;
  /** Absent if the client does not name it. */
  conversation?: Conversation | undefined;
  /** The client's name for this one call, as its transcript has it. */
  toolUse?: string | undefined;
  /** Present exactly for legacy connections. */
  binding?: Binding | undefined;
  /** Present for modern clients over stdio. */
  lone?: LoneMemory | undefined;
  /** False for web pages that are not ours: they may read and record, but never run code. */
  mayRunCells?: boolean | undefined;
  /** Whether a token was shown. */
  hasToken?: boolean | undefined;
  /** What the client declared it can be asked for. */
  can: { roots: boolean; sampling: boolean };
};

/** How the store knows the caller; `undefined` for those that are no MCP client. */
export const originOf = (
  { principal = "", client, conversation, toolUse }: Caller,
  project: string,
): Origin | undefined =>
  client === undefined
    ? undefined
    : { principal, project, client, conversation: conversation?.id ?? "", toolUse };

/** Whether a later call of the same caller can be known as its own. */
export const isRemembered = ({ conversation, binding, lone }: Caller): boolean =>
  (conversation ?? binding ?? lone) !== undefined;

export function createBinding(): Binding {
  return { stage: 0, navigation: {} };
}
