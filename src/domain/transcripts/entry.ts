import { transcriptClients } from "../../kernel/client-names.ts";
import type { JsonFields } from "./json-lines.ts";

/** Each format is named after the program that writes it. */
export const transcriptFormats = transcriptClients;
export type TranscriptFormat = (typeof transcriptFormats)[number];

export const messageRoles = ["user", "assistant", "system", "developer", "tool"] as const;
export type MessageRole = (typeof messageRoles)[number];

export type Block =
  | { type: "text" | "thinking"; text: string }
  | {
      type: "tool_call";
      callId: string | undefined;
      tool: string;
      /** A one-line description of the call, for people. */
      command: string;
      input: JsonFields | undefined;
    }
  | {
      type: "tool_result";
      callId: string | undefined;
      text: string;
      failed: boolean;
      exit?: number | undefined;
      /** Data that the program recorded but did not send to the model. */
      detail?: JsonFields | undefined;
    };

/** One step of a conversation, in the same form for every program. */
export type TranscriptEntry = {
  role: MessageRole;
  blocks: readonly Block[];
  at?: string | undefined;
  /** Set if the program records the order of entries. */
  id?: string | undefined;
  parentId?: string | undefined;
  /** The message's ID, by which blocks of a message on separate lines are joined. */
  messageId?: string | undefined;
  /** The thread of a sub-agent. */
  thread?: string | undefined;
  /** Set if the program inserted this entry, which only looks like a user message. */
  injected?: true | undefined;
  /** Set if the program rewrites the whole message to add to it. Only the new parts are used. */
  rewritten?: true | undefined;
  /** Set for a summary that replaces the earlier messages. */
  summary?: true | undefined;
};

/** The facts about a session that one line contains. */
export type SessionFacts = {
  id?: string | undefined;
  at?: string | undefined;
  cwd?: string | undefined;
  title?: string | undefined;
  /** The session that started this one as a sub-agent. */
  parentId?: string | undefined;
  /** The session that this one was copied from. */
  forkedFrom?: string | undefined;
  /** The model that this line names. */
  model?: string | undefined;
  /** Texts that may contain the project's path, such as instructions. */
  hintTexts?: readonly string[];
};

export type TranscriptLine = {
  format?: TranscriptFormat;
  session?: SessionFacts;
  entry?: TranscriptEntry;
  /** How many user turns this line undoes. */
  rolledBack?: number;
  /** The message that this line undoes, along with everything after it. */
  rewoundTo?: string;
  /** The kind of a line without a message. */
  skipped?: string;
};

/** Returns the text of an entry, without tool calls and results. */
export function messageText({ blocks }: TranscriptEntry): string {
  return blocks
    .flatMap((block) => (block.type === "text" || block.type === "thinking" ? [block.text] : []))
    .join("\n\n");
}

export type Tally = { readonly [kind: string]: number };

const maxKinds = 20;

/**
 * Counts by kind. The names of kinds come from files, so only plain names are used, and only a limited number
 * of them.
 */
export function createTally() {
  const counts = new Map<string, number>();
  function add(kind: string, count = 1): void {
    const plain = /^[a-z][a-z0-9_-]{0,39}$/.test(kind) && !(kind in {}) ? kind : "other";
    const name = counts.has(plain) || counts.size < maxKinds ? plain : "other";
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return {
    add,
    addAll(tally: Partial<Tally>): void {
      for (const [kind, count] of Object.entries(tally)) add(kind, count);
    },
    /** Returns the counts by name, sorted so that the same files give the same bytes. */
    counts: (): Tally => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
