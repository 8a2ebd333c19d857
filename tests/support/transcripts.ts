import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestApp } from "./test-app.ts";

export const codexPath = "2026/03/02/rollout-2026-03-02-shop.jsonl";
const claudeId = "11111111-2222-4333-8444-555555555555";
export const claudePath = `-home-ada-shop/${claudeId}.jsonl`;

/** Returns homes below the test's directory, so that no test reads a user's own transcripts. */
export function clientHomes(dataDir: string): Record<string, string> {
  const home = join(dataDir, "..");
  return {
    CODEX_HOME: join(home, "codex"),
    CLAUDE_CONFIG_DIR: join(home, "claude"),
    GEMINI_CLI_HOME: home,
    QWEN_HOME: join(home, ".qwen"),
    COPILOT_HOME: join(home, ".copilot"),
    XDG_DATA_HOME: join(home, ".local", "share"),
  };
}

/** The folders in which Codex and Claude Code store their transcripts in a test. */
export const codexRoot = ({ dataDir }: Pick<TestApp, "dataDir">): string =>
  join(dataDir, "..", "codex", "sessions");
export const claudeRoot = ({ dataDir }: Pick<TestApp, "dataDir">): string =>
  join(dataDir, "..", "claude", "projects");

export function writeLines(file: string, lines: readonly unknown[], rest = ""): void {
  mkdirSync(dirname(file), { recursive: true });
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(file, `${texts.join("\n")}\n${rest}`);
}

/** Writes one session of each program, about the same question. */
export function writeTranscripts(app: Pick<TestApp, "dataDir">): void {
  writeLines(join(codexRoot(app), codexPath), codexSession());
  writeLines(join(claudeRoot(app), claudePath), claudeSession());
}

const minute = (count: number): string => new Date(Date.UTC(2026, 2, 2, 10, count)).toISOString();

function codexSession(cwd = "/home/ada/shop"): object[] {
  const item = (count: number, payload: object) => ({
    timestamp: minute(count),
    type: "response_item",
    payload,
  });
  const message = (role: string, type: string, text: string) => ({
    type: "message",
    role,
    content: [{ type, text }],
  });
  return [
    {
      timestamp: minute(0),
      type: "session_meta",
      payload: { id: "0190-shop", timestamp: minute(0), cwd, originator: "codex_cli_rs" },
    },
    item(
      1,
      message("user", "input_text", `<environment_context>\n<cwd>${cwd}</cwd>\n</environment_context>`),
    ),
    item(1, message("user", "input_text", "Why does checkout time out?")),
    item(2, {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "The pool may be too small." }],
      encrypted_content: "A".repeat(9_000),
    }),
    { timestamp: minute(2), type: "event_msg", payload: { type: "token_count", info: {} } },
    item(3, {
      type: "function_call",
      name: "shell",
      arguments: JSON.stringify({ command: ["bash", "-lc", "npm test"] }),
      call_id: "c1",
    }),
    item(4, {
      type: "function_call_output",
      call_id: "c1",
      output: JSON.stringify({ output: "1 failed", metadata: { exit_code: 1, duration_seconds: 2 } }),
    }),
    item(5, message("assistant", "output_text", "## Summary\n- the pool holds 10\n- 40 workers share it")),
  ];
}

/** Returns a line in a Claude Code transcript. */
export function claudeLine(
  type: "user" | "assistant",
  id: string,
  parent: string | null,
  content: unknown,
  more: object = {},
) {
  const message = { role: type, content, ...(type === "assistant" && { id: `msg-${id}` }) };
  return {
    ...{ parentUuid: parent, isSidechain: false, userType: "external", cwd: "/home/ada/shop" },
    ...{ sessionId: claudeId, version: "2.0.1", type, message, uuid: id, timestamp: minute(10) },
    ...more,
  };
}

export function claudeSession(): object[] {
  const bash = { type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } };
  const failed = { type: "tool_result", tool_use_id: "t1", is_error: true, content: "1 failed" };
  return [
    { type: "file-history-snapshot", snapshot: {} },
    claudeLine("user", "u1", null, "Why does checkout time out?"),
    claudeLine("assistant", "a1", "u1", [{ type: "thinking", thinking: "The pool may be too small." }]),
    claudeLine("assistant", "a2", "a1", [bash]),
    claudeLine("user", "r1", "a2", [failed]),
    claudeLine("assistant", "a3", "r1", [{ type: "text", text: "The pool holds 10 connections." }]),
    claudeLine("user", "u2", "a3", "No, look at the workers instead."),
    claudeLine("assistant", "a4", "u2", [{ type: "text", text: "40 workers share the pool." }]),
  ];
}
