import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { Reply } from "../../src/kernel/reply.ts";
import { root } from "../servers/candidates.ts";
import { type AnsweredHit, createAddressBook, type Judgement, judge } from "./judge.ts";
import type { Conversation, RecallSession } from "./recall-set.ts";
import { toExport } from "./to-export.ts";

const project = "recall";
/** Hits to request, enough to rank ten sessions, because a session can have several hits. */
const hitsAsked = 50;

/** Uses the product as a client does, on its own store: fills it with `session.import` and calls `session.search`. */
export function openRecallStore(dataDir: string) {
  mkdirSync(dataDir, { recursive: true });
  const env = { THOUGHTBOX_STORAGE: "memory", THOUGHTBOX_DATA_DIR: dataDir, THOUGHTBOX_PROJECT: project };
  const app = createApp({
    config: readConfig({ env }),
    version: "bench",
    contentDir: join(root, "content"),
    log: () => {},
  });
  const caller = { era: "modern", transport: "cli", can: { roots: false, sampling: false } } as const;
  const call = async (name: string, args: object): Promise<Record<string, unknown>> => {
    const reply: Reply = await app.perform(name, args, { caller });
    if (reply.kind !== "result") throw new Error(`${name}: ${JSON.stringify(reply).slice(0, 500)}`);
    return reply.result;
  };
  return {
    close: () => app.close(),
    async bringIn(sessions: Iterable<RecallSession>): Promise<void> {
      for (const session of sessions)
        await call("session.import", { content: JSON.stringify(toExport(session, project)) });
    },
    /** Returns the judgements, and how long each question took. */
    async ask({ sessions, questions }: Conversation, order: "relevance" | "newest" = "relevance") {
      const book = createAddressBook(sessions);
      const judged: Judgement[] = [];
      const times: number[] = [];
      for (const question of questions) {
        const began = performance.now();
        const answer = await call("session.search", {
          query: question.text.slice(0, 500),
          order,
          limit: hitsAsked,
        });
        times.push(performance.now() - began);
        judged.push(judge(question, answer["hits"] as AnsweredHit[], book));
      }
      return { judged, times };
    },
  };
}
