const known: Readonly<Record<string, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  cursor: "Cursor",
  "gemini-cli": "Gemini CLI",
  "copilot-cli": "Copilot CLI",
  opencode: "opencode",
  user: "you",
};

/** Returns a client's common name. Unknown names are returned unchanged. */
export const agentName = (id: string): string => known[id] ?? id;

/** Returns an agent's ID, from its ID or its common name. */
export const agentId = (name: string): string =>
  Object.entries(known).find(([, title]) => title === name)?.[0] ?? name;

/** Returns false for `user` and `tool`, which imported transcripts also store as agent IDs. */
export const isAgent = (id: string): boolean => id !== "user" && id !== "tool";

export const mainAgent = (ids: readonly string[]): string | undefined => ids.find(isAgent);
