import { isLoose, type Loose, readEvidence, readSessions } from "./dialogue.ts";
import type { Conversation, RecallQuestion, RecallSession } from "./recall-set.ts";

/** Returns whether the data is LoCoMo: a list of samples with `conversation` and `qa`. */
export const isLocomo = (data: unknown): data is Loose[] =>
  Array.isArray(data) && data.some((sample) => isLoose(sample) && isLoose(sample["conversation"]));

/** Returns whether the data is REALTALK: one chat per file, with its sessions and `qa` side by side. */
export const isRealtalk = (data: unknown): data is Loose =>
  isLoose(data) && Object.keys(data).some((key) => /^session_\d+$/.test(key));

export function loadLocomo(samples: readonly Loose[]): Conversation[] {
  return samples.filter(isLoose).flatMap((sample, n) => {
    const dialogue = sample["conversation"];
    if (!isLoose(dialogue)) return [];
    const prefix = String(sample["sample_id"] ?? `sample-${n + 1}`);
    return [withQuestions(readSessions(dialogue, prefix), sample["qa"], prefix)];
  });
}

export const loadRealtalk = (chat: Loose, prefix: string): Conversation =>
  withQuestions(readSessions(chat, prefix), chat["qa"], prefix);

/** Finds the session with the answer by the turn that it contains, because turn IDs do not always name the session. */
function withQuestions(sessions: RecallSession[], qa: unknown, prefix: string): Conversation {
  const home = new Map<string, string>();
  for (const { key, thoughts } of sessions) for (const thought of thoughts) home.set(thought.key, key);
  const questions = (Array.isArray(qa) ? qa : []).filter(isLoose).flatMap((one): RecallQuestion[] => {
    const thoughts = [...new Set(readEvidence(one["evidence"]).map((id) => `${prefix}/${id}`))].filter(
      (key) => home.has(key),
    );
    const text = typeof one["question"] === "string" ? one["question"] : "";
    if (thoughts.length === 0 || text === "") return [];
    const gold = [...new Set(thoughts.flatMap((key) => home.get(key) ?? []))];
    return [{ text, category: String(one["category"] ?? "all"), thoughts, sessions: gold }];
  });
  return { sessions, questions };
}
