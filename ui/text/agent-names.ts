const known: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  cursor: "Cursor",
  "gemini-cli": "Gemini CLI",
  "copilot-cli": "Copilot CLI",
  opencode: "opencode",
  user: "you",
};

/** A client as people call it; other names as they were given. */
export const agentName = (id: string): string => known[id] ?? id;

/** Names in transcripts that are no agent: the person, and what a tool returned. */
export const isAgent = (id: string): boolean => id !== "user" && id !== "tool";

/** The first agent. */
export const mainAgent = (ids: readonly string[]): string | undefined => ids.find(isAgent);
