/** Programs that `thoughtbox connect` can set up. */
export const clientNames = [
  "claude-code",
  "codex",
  "gemini-cli",
  "qwen-code",
  "copilot-cli",
  "opencode",
  "vscode",
  "cursor",
  "claude-desktop",
] as const;

export type ClientName = (typeof clientNames)[number];
