import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createProse, createRandom } from "./prose.ts";

export type TranscriptKind = "claude-code" | "codex";

/** The last line from a program that was killed while writing. */
const halfLine = '{"type":"assistant","uuid":"last","message":{"role":"assistant","content":[{"type":"te';
const turnsBetweenSummaries = 30;

/**
 * Writes a transcript of about this many bytes, shaped like real ones. Most of the transcript is tool output
 * (which Claude Code writes twice), thinking signatures and images. A few percent are text by the agent and
 * its user. Returns the transcript's path relative to the root.
 */
export function fillTranscript(root: string, kind: TranscriptKind, bytes: number, seed: number): string {
  const random = createRandom(seed);
  const prose = createProse(random);
  const words = {
    random,
    prose,
    between: (least: number, most: number) => Math.floor(least + random() * (most - least)),
    /** Generates incompressible text, like images and signatures. */
    base64: (length: number) =>
      Buffer.from(Uint32Array.from({ length: Math.ceil(length / 4) }, () => random() * 2 ** 32).buffer)
        .toString("base64")
        .slice(0, length),
    /** Generates program output: short lines with quotes, indentation and colour codes. */
    output: (length: number) => {
      let text = "";
      while (text.length < length)
        text += `  at ${prose(2)} ("src/${prose(1)}.ts":12)\t\u001b[31m${prose(6)}\u001b[0m\n`;
      return text;
    },
  };
  const id = `00000000-0000-4000-8000-${String(seed).padStart(12, "0")}`;
  const turn = kind === "codex" ? codexTurn(words, id) : claudeTurn(words, id);
  const lines: string[] = [];
  let written = 0;
  for (let count = 0; written < bytes; count += 1) {
    for (const line of turn(count)) {
      const text = JSON.stringify(line);
      lines.push(text);
      written += Buffer.byteLength(text) + 1;
    }
  }
  const path =
    kind === "codex" ? `2026/03/02/rollout-2026-03-02T10-00-00-${id}.jsonl` : `-home-ada-shop/${id}.jsonl`;
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${lines.join("\n")}\n${halfLine}`);
  return path;
}

type Words = {
  random: () => number;
  prose: (words: number) => string;
  between: (least: number, most: number) => number;
  base64: (length: number) => string;
  output: (length: number) => string;
};

const time = (count: number): string => new Date(Date.UTC(2026, 2, 2, 10, 0, count)).toISOString();

function claudeTurn({ random, prose, between, base64, output }: Words, sessionId: string) {
  let [count, parent] = [0, null as string | null];
  const line = (type: "user" | "assistant", content: unknown, more: object = {}) => {
    count += 1;
    const uuid = `00000000-0000-4000-9000-${String(count).padStart(12, "0")}`;
    const written = {
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: "/home/ada/shop",
      sessionId,
      version: "2.0.1",
      gitBranch: "main",
      type,
      uuid,
      timestamp: time(count),
      message: {
        role: type,
        content,
        ...(type === "assistant" && { id: `msg_${count}`, usage: { input_tokens: 9 } }),
      },
      ...more,
    };
    parent = uuid;
    return written;
  };
  const result = (id: string) => {
    const failed = random() < 0.06;
    if (random() < 0.015) {
      const source = { type: "base64", media_type: "image/png", data: base64(between(80_000, 600_000)) };
      return line("user", [{ type: "tool_result", tool_use_id: id, content: [{ type: "image", source }] }]);
    }
    // Most outputs are short and some are long, about 6 KB on average.
    const text = output(Math.floor(200 * 150 ** random()));
    const content = [
      { type: "tool_result", tool_use_id: id, content: text, ...(failed && { is_error: true }) },
    ];
    return line("user", content, { toolUseResult: { stdout: text, stderr: "", interrupted: false } });
  };
  return (turn: number): object[] => {
    const summary = { isCompactSummary: true, isVisibleInTranscriptOnly: true };
    const lines: object[] = [
      { type: "file-history-snapshot", messageId: String(turn), snapshot: { files: {} } },
      ...(turn % turnsBetweenSummaries === turnsBetweenSummaries - 1
        ? [line("user", prose(2_500), summary)]
        : []),
      line("user", `${turn % 7 === 3 ? "No, " : ""}${prose(between(5, 60))}`),
    ];
    for (let step = between(2, 12); step > 0; step -= 1) {
      if (random() < 0.5)
        lines.push(
          line("assistant", [
            { type: "thinking", thinking: prose(between(20, 250)), signature: base64(between(400, 4_000)) },
          ]),
        );
      if (random() < 0.4) lines.push(line("assistant", [{ type: "text", text: prose(between(5, 80)) }]));
      const id = `toolu_${count}`;
      const input =
        random() < 0.6
          ? { command: prose(8), description: prose(4) }
          : { file_path: "/a.ts", new_string: output(between(100, 3_000)) };
      lines.push(
        line("assistant", [{ type: "tool_use", id, name: "command" in input ? "Bash" : "Edit", input }]),
        result(id),
      );
    }
    lines.push(line("assistant", [{ type: "text", text: prose(between(40, 300)) }]));
    return lines;
  };
}

function codexTurn({ random, prose, between, base64, output }: Words, id: string) {
  let count = 0;
  const line = (type: string, payload: object) => {
    count += 1;
    return { timestamp: time(count), type, payload };
  };
  const item = (payload: object) => line("response_item", payload);
  const event = (type: string, more: object = {}) => line("event_msg", { type, ...more });
  const message = (role: string, type: string, text: string) =>
    item({ type: "message", role, content: [{ type, text }] });
  return (turn: number): object[] => {
    const asked = prose(between(5, 60));
    const lines: object[] = [
      ...(turn === 0
        ? [line("session_meta", { id, timestamp: time(0), cwd: "/home/ada/shop", instructions: prose(900) })]
        : []),
      ...(turn % turnsBetweenSummaries === turnsBetweenSummaries - 1
        ? [line("compacted", { message: prose(2_500) })]
        : []),
      line("turn_context", { cwd: "/home/ada/shop", model: "m", summary: "auto" }),
      message("user", "input_text", asked),
      event("user_message", { message: asked }),
    ];
    for (let step = between(2, 12); step > 0; step -= 1) {
      const thinking = prose(between(10, 60));
      lines.push(
        event("agent_reasoning", { text: thinking }),
        item({
          type: "reasoning",
          summary: [{ type: "summary_text", text: thinking }],
          encrypted_content: base64(between(800, 6_000)),
        }),
        item({
          type: "function_call",
          name: "shell",
          arguments: JSON.stringify({ command: ["bash", "-lc", prose(8)] }),
          call_id: `call_${count}`,
        }),
      );
      const metadata = { exit_code: random() < 0.06 ? 1 : 0, duration_seconds: 1.2 };
      const printed =
        random() < 0.015 ? base64(between(80_000, 600_000)) : output(Math.floor(200 * 150 ** random()));
      lines.push(
        item({
          type: "function_call_output",
          call_id: `call_${count}`,
          output: JSON.stringify({ output: printed, metadata }),
        }),
        event("token_count", { info: { total_token_usage: { input_tokens: 1_000, output_tokens: 100 } } }),
      );
    }
    const said = prose(between(40, 300));
    lines.push(event("agent_message", { message: said }), message("assistant", "output_text", said));
    return lines;
  };
}
