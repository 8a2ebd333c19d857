/** What a client gives its hooks on stdin, as far as we read it. Clients differ in how they spell it. */
export type HookInput = Readonly<Record<string, unknown>>;

export type HookMoment = "begin" | "capture" | "action";

const moments: Readonly<Record<string, HookMoment>> = {
  sessionstart: "begin",
  stop: "capture",
  subagentstop: "capture",
  precompact: "capture",
  sessionend: "capture",
  afteragent: "capture",
  agentstop: "capture",
  pretooluse: "action",
  beforetool: "action",
};

/** What a hook is for; `undefined` for an event that we have nothing to do with. */
export function momentOf(event: string): HookMoment | undefined {
  const name = event.toLowerCase();
  return Object.hasOwn(moments, name) ? moments[name] : undefined;
}

export type HookFacts = {
  cwd: string | undefined;
  /** The client's name for the conversation. */
  conversation: string | undefined;
  transcript: string | undefined;
  /** Why a session starts: `startup`, `resume`, `clear`, `compact`. */
  source: string | undefined;
};

/** Longer texts are no paths or names. */
const longest = 4_096;

export function readFacts(input: HookInput): HookFacts {
  const find = (...names: string[]): string | undefined => {
    const values = names.map((name) => input[name]);
    return values.find(
      (value): value is string => typeof value === "string" && value !== "" && value.length <= longest,
    );
  };
  return {
    cwd: find("cwd", "workingDirectory"),
    conversation: find("session_id", "sessionId"),
    transcript: find("agent_transcript_path", "transcript_path", "transcriptPath"),
    source: find("source"),
  };
}

/** Codex runs the plugin that was written for Claude Code. Its transcripts tell the two apart. */
export function clientOf(told: string, input: HookInput): string {
  const { transcript = "" } = readFacts(input);
  return told === "claude-code" && /(?:^|[\\/])rollout-[^\\/]*$/.test(transcript) ? "codex" : told;
}

export type HookAnswer = {
  hookSpecificOutput?: { hookEventName: string; additionalContext: string };
  additionalContext?: string;
};

/** Copilot CLI and our module for opencode take the text itself, the others in Claude Code's form. */
export function answerWith(client: string, event: string, context: string | undefined): HookAnswer {
  if (context === undefined) return {};
  return client === "copilot-cli" || client === "opencode"
    ? { additionalContext: context }
    : { hookSpecificOutput: { hookEventName: event, additionalContext: context } };
}
