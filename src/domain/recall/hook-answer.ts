/** What a client sends to its hooks on stdin. The spelling of fields differs between clients. */
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

/** Maps an event to a moment. Returns `undefined` for an event that Thoughtbox ignores. */
export function momentOf(event: string): HookMoment | undefined {
  const name = event.toLowerCase();
  return Object.hasOwn(moments, name) ? moments[name] : undefined;
}

export type HookFacts = {
  cwd: string | undefined;
  /** The client's ID for the conversation. */
  conversation: string | undefined;
  transcript: string | undefined;
  /** Why a session starts: `startup`, `resume`, `clear` or `compact`. */
  source: string | undefined;
};

/** The maximum length of a path or name, in characters. */
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

/** Reads the call that a client is about to make. */
export function readAction({ tool_name: tool, tool_input: asked, tool_use_id: id }: HookInput) {
  return {
    tool_name: typeof tool === "string" && tool.length <= 200 ? tool : undefined,
    tool_input: typeof asked === "object" && asked !== null ? toJson(asked) : undefined,
    tool_use_id: typeof id === "string" && id.length <= 200 ? id : undefined,
  };
}

/** Returns `undefined` if `JSON.stringify` fails because the value is nested too deeply. */
function toJson(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Detects Codex, which can also run the plugin for Claude Code, by the path of the transcript. */
export function clientOf(told: string, input: HookInput): string {
  const { transcript = "" } = readFacts(input);
  return told === "claude-code" && /(?:^|[\\/])rollout-[^\\/]*$/.test(transcript) ? "codex" : told;
}

export type HookAnswer = {
  hookSpecificOutput?: {
    hookEventName: string;
    additionalContext?: string;
    permissionDecision?: "deny";
    permissionDecisionReason?: string;
  };
  additionalContext?: string;
};

/** Returns plain context for Copilot CLI and our opencode module. Other clients get Claude Code's format. */
export function answerWith(client: string, event: string, context: string | undefined): HookAnswer {
  if (context === undefined) return {};
  return client === "copilot-cli" || client === "opencode"
    ? { additionalContext: context }
    : { hookSpecificOutput: { hookEventName: event, additionalContext: context } };
}

/** Clients that are known to pass a denial to the model and to report whether a person can approve calls. */
const deniable: ReadonlySet<string> = new Set(["claude-code"]);

/** Stops a call. Returns `undefined` for a client that supports only notes. */
export function denyWith(client: string, event: string, reason: string): HookAnswer | undefined {
  if (!deniable.has(client)) return undefined;
  return {
    hookSpecificOutput: {
      hookEventName: event,
      permissionDecision: "deny",
      permissionDecisionReason: `${reason}\nIf you still want to make this call, repeat it. The call will not be stopped again.`,
    },
  };
}
