import { describe, expect, test } from "vitest";
import { createAddressBook, judge, summarise } from "../../bench/recall/judge.ts";
import { floodSessions, plantConversation } from "../../bench/recall/planted.ts";
import type { Store } from "../../src/ports/store.ts";
import { bringIn } from "../support/disk/planted-store.ts";
import { enoughTime, reportSoak, times } from "../support/run/soak.ts";
import { openStore } from "../support/stores/stores.ts";

const old = plantConversation({
  ...{ sessions: times("planted sessions", 60), thoughts: 12, questions: 120, seed: 11 },
});
const book = createAddressBook(old.sessions);

async function askAll({ ledger }: Store) {
  const judged = [];
  for (const question of old.questions) {
    const page = await ledger.search({
      ...{ query: question.text, project: "_default", order: "relevance", limit: 10, offset: 0 },
      hideSecrets: (text) => text,
    });
    const hits = page.hits.map(({ session, address }) => ({
      ...(session && { sessionId: session.id }),
      ...(address && { thought: address }),
    }));
    judged.push(judge(question, hits, book));
  }
  return summarise(judged);
}

describe("an old thought", () => {
  const flood = times("flood thoughts", 8_000);

  test(
    `is found among ${flood} newer thoughts almost as well as without them`,
    async () => {
      const store = openStore("memory");
      await bringIn(store, old.sessions);
      const before = await askAll(store);
      for (let done = 0, seed = 1; done < flood; done += 4_000, seed += 1)
        await bringIn(store, floodSessions(100, 40, seed));
      const after = await askAll(store);
      reportSoak("search under a flood", `hit@1 ${before.hit1} without, ${after.hit1} under ${flood}`);
      expect(before.hit1).toBeGreaterThan(0.8);
      for (const figure of ["hit1", "mrr", "sessions"] as const)
        expect(after[figure], figure).toBeGreaterThan(before[figure] - 0.03);
    },
    enoughTime(flood, 2),
  );
});
