import type { ErrorCode, Recovery } from "./errors.ts";

/** A problem or note that the caller should know about, although the operation succeeded. */
export type Warning = { code: string; message: string; recovery?: Recovery };

/** A useful next call, which the caller can send unchanged. */
export type Suggestion = {
  operation: string;
  args: Record<string, unknown>;
  reason: string;
  priority: "high" | "medium" | "low";
};

export type ErrorReply = {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown>;
  recovery?: Recovery;
};

/** A question for the client's model. */
export type SamplingPrompt = {
  system: string;
  text: string;
  maxTokens: number;
  preferences: { hints: { name: string }[]; intelligencePriority: number; costPriority: number };
};

/** A question that only the client can answer. The same call then runs again with the answer. */
export type Ask =
  /** `isOptional`: the call also runs without the roots, so it does not wait long for them. */
  | { ask: "roots"; isOptional?: true }
  /** The client returns `state`, signed, with its answer, so that the second run knows the results of the first. */
  | { ask: "critique"; prompt: SamplingPrompt; state: Record<string, unknown> };

/** The three possible outcomes of a call. */
export type Reply =
  | {
      kind: "result";
      result: Record<string, unknown>;
      /** The result as prose. If `markdown` is set, the agent gets it instead of the JSON. */
      markdown?: string;
    }
  | { kind: "error"; error: ErrorReply }
  | { kind: "ask"; ask: Ask };
