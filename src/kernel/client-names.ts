/** Programs that write a transcript for each session. */
export const transcriptClients = [
  "claude-code",
  "codex",
  "gemini-cli",
  "qwen-code",
  "copilot-cli",
  "opencode",
] as const;

/** Programs that `thoughtbox connect` can set up. */
export const clientNames = [...transcriptClients, "vscode", "cursor", "claude-desktop"] as const;

export type ClientName = (typeof clientNames)[number];

export const clientTitles: Readonly<Record<ClientName, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  "qwen-code": "Qwen Code",
  "copilot-cli": "Copilot CLI",
  opencode: "opencode",
  vscode: "VS Code",
  cursor: "Cursor",
  "claude-desktop": "Claude Desktop",
};
