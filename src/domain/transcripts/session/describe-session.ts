import { clientTitles } from "../../../kernel/client-names.ts";
import { maskForExport } from "../../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { visible } from "../../../kernel/text.ts";
import { limits } from "../../ledger/limits.ts";
import type { SessionRecord } from "../../ledger/session.ts";
import { stages } from "../../stages/stages.ts";
import { cutAtWord, cutText } from "../clean-text.ts";
import type { TranscriptFormat } from "../entry.ts";
import type { ThoughtPlan } from "./plan-thoughts.ts";

type SessionWords = {
  id: string;
  project: string;
  title: string | undefined;
  tags: readonly string[];
  partitionPath: string | undefined;
};

const titleChars = 80;

const uuidAtEnd = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i;

/** Returns the UUID at the end of the filename. If there is none, combines the session ID and the filename. */
export function transcriptId(path: string, sessionId: string | undefined): string {
  const named = uuidAtEnd.exec(path)?.[1]?.toLowerCase();
  const fileName = path.split("/").at(-1) ?? path;
  return named ?? (sessionId === undefined ? path : `${sessionId}/${fileName}`);
}

/** Returns a transcript's ledger session ID, which is always the same for the same transcript. */
export function sessionIdOf(format: TranscriptFormat, id: string, include: "thinking" | "all"): string {
  const hex = sha256Hex(`transcript\n${format}\n${include}\n${id}`);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/**
 * Maps the name that a client sends over MCP to its transcript format, and a conversation ID to a
 * transcript's name.
 */
const transcriptNames: readonly { begins: string; format: TranscriptFormat; id(name: string): string }[] = [
  { begins: "claude-code", format: "claude-code", id: (name) => name },
  { begins: "codex", format: "codex", id: (name) => name },
  { begins: "qwen-cli", format: "qwen-code", id: (name) => name },
  { begins: "copilot", format: "copilot-cli", id: (name) => `${name}/events.jsonl` },
];

/**
 * Returns the ID of the session that captures a client's conversation. The session may not exist. `undefined`
 * if the name of the transcript is unknown.
 */
export function capturedSessionOf(
  client: string | undefined,
  conversation: string | undefined,
): string | undefined {
  const known = transcriptNames.find(({ begins }) => client?.startsWith(begins));
  return known && conversation ? sessionIdOf(known.format, known.id(conversation), "all") : undefined;
}

/** Returns the first line of the request. For a plan, returns its heading. */
function subjectOf(opening: string): string {
  const [first = "", ...more] = opening.split("\n").filter((line) => line.trim() !== "");
  const heading = more.find((line) => /^#+ /.test(line))?.replace(/^#+ +(?:plan: *)?/i, "");
  if (/^(?:please )?implement (?:the following|this) plan\b/i.test(first) && heading) return heading;
  return first.trimEnd().endsWith(":") ? [first.trimEnd(), ...more.slice(0, 1)].join(" ") : first;
}

/** How long a client that is waiting for its user is treated as running. */
const runningMs = 30 * 60_000;

/**
 * Returns the ledger session for a transcript. A session is running until its client reports the end, or
 * until the transcript gets no new entries for a while after an answer. A session that stops before an answer
 * is treated as abandoned after a day.
 */
export function describeSession(
  plan: ThoughtPlan,
  { id, project, title, tags, partitionPath }: SessionWords,
  transcript: {
    format: TranscriptFormat;
    transcriptId: string;
    projectName: string;
    title: string | undefined;
  },
  { fallback, now, ended }: { fallback: string; now: Date; ended: boolean },
): SessionRecord {
  const times = plan.thoughts.flatMap(({ at }) => at ?? []).sort();
  const createdAt = times[0] ?? fallback;
  const updatedAt = times.at(-1) ?? createdAt;
  const program = clientTitles[transcript.format];
  const isOver = ended || (plan.settled && now.getTime() - Date.parse(updatedAt) > runningMs);
  // Titles appear in many lists, so secrets in them are masked.
  const opening = maskForExport(transcript.title ?? subjectOf(plan.opening ?? ""));
  const derived = opening === "" ? `${program} ${transcript.transcriptId.slice(0, 8)}` : opening;
  return {
    session: {
      id,
      title: cutText(title ?? cutAtWord(visible(derived), titleChars), limits.title),
      description: cutText(
        visible(`Transcript ${transcript.transcriptId} of ${program}, project ${transcript.projectName}.`),
        limits.description,
      ),
      tags: [
        ...new Set([
          "transcript",
          transcript.format,
          ...tags,
          ...plan.models.map((model) => `model:${model}`),
        ]),
      ].slice(0, limits.tags),
      project,
      status: isOver ? "completed" : "active",
      thoughtCount: plan.thoughts.length,
      branchCount: plan.branches,
      ...(partitionPath !== undefined && { partitionPath }),
      createdAt,
      updatedAt,
      lastAccessedAt: updatedAt,
      ...(isOver && { completedAt: updatedAt }),
    },
    state: { stage: stages.cipher_loaded, navigation: { project } },
  };
}
