import { systemClock } from "../../src/kernel/clock.ts";
import { maskForExport } from "../../src/kernel/secrets/secrets-policy.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { millisecondsTo95 } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p95 } from "../measure/samples.ts";
import { timeEach } from "../measure/timing.ts";
import type { Line, Row } from "../row.ts";
import { openLibrary } from "../stores/known-stores.ts";
import { wordAt } from "../stores/prose.ts";

/** Queries of one word or two words. Some words occur in most thoughts, others in very few. */
const queries = [0, 1, 3, 10, 40, 160, 640, 2_500].flatMap((rank) => [
  wordAt(rank),
  `${wordAt(rank)} ${wordAt(rank + 1)}`,
]);

export const search: Row = {
  id: "search",
  about: "full-text search at the store, for common and for rare words",

  async run(bench) {
    const library = await openLibrary(bench);
    const ledger = createSqliteStore({ kind: "directory", path: library.path }, systemClock);
    const { corner } = library;
    const searchAll = (order: "newest" | "relevance", project?: string) => () =>
      timeEach(queries.length, (n) =>
        ledger.ledger.search({
          query: queries[n] ?? "",
          project,
          order,
          limit: 10,
          offset: 0,
          hideSecrets: maskForExport,
        }),
      );
    try {
      const turns = {
        newest: searchAll("newest"),
        ranked: searchAll("relevance"),
        cornerNewest: searchAll("newest", corner.project),
        cornerRanked: searchAll("relevance", corner.project),
      };
      await interleave(1, turns);
      const { newest, ranked, cornerNewest, cornerRanked } = await interleave(bench.times(15), turns);
      const size = (library.sessions * library.thoughts).toLocaleString("en");
      const line = (id: string, order: string, samples: typeof newest, limit: number): Line => ({
        id: `search.${id}`,
        what: `search of ${size} thoughts at the store, ${order}`,
        ours: millisecondsTo95(samples),
        goal: atMost(limit, p95(samples), "ms (p95)"),
      });
      const inCorner = `in an old project of ${corner.sessions} sessions`;
      return [
        line("newest", "newest first", newest, 1.5),
        line("ranked", "ranked", ranked, 50),
        line("corner-newest", `newest first, ${inCorner}`, cornerNewest, 25),
        line("corner-ranked", `ranked, ${inCorner}`, cornerRanked, 50),
      ];
    } finally {
      await ledger.close();
    }
  },
};
