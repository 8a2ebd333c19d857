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

/** The first agent that is not the user. */
export const mainAgent = (ids: readonly string[]): string | undefined => ids.find((id) => id !== "user");
