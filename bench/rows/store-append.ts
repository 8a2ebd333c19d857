import { stages } from "../../src/domain/stages/stages.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/ports/store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { openBareSqlite } from "../floors/bare-sqlite.ts";
import { openSyncFloor } from "../floors/fdatasync.ts";
import { atLeast, atMost, tailGoal } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, p99, ratioOf } from "../measure/samples.ts";
import { median } from "../measure/statistics.ts";
import { timeCrowd, timeEach } from "../measure/timing.ts";
import type { Row } from "../row.ts";
import { projectOfStores, sessionIdOf } from "../stores/fill-store.ts";
import { copyLengths, type Length, sessionsOf } from "../stores/known-stores.ts";
import { someThought } from "../stores/some-thought.ts";

const burst = 20_000;
/**
 * Runs several bursts, because a single one may or may not coincide with the indexing of earlier thoughts.
 */
const bursts = 3;

export const storeAppend: Row = {
  id: "store-append",
  about: "a durable append at the store, against one fdatasync",

  async run(bench) {
    const dataDir = await copyLengths(bench);
    const ledger = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
    const floor = openSyncFloor(dataDir);
    const bare = openBareSqlite(bench.stores.freshDirectory());

    const inRam = createSqliteStore({ kind: "memory" }, systemClock);
    const { session } = await inRam.ledger.createSession({
      id: sessionIdOf(0, 0),
      project: projectOfStores,
      title: "in RAM",
      description: undefined,
      tags: [],
      partitionPath: undefined,
      createdAt: new Date().toISOString(),
      state: { stage: stages.cipher_loaded, navigation: {} },
    });
    const appendTo = (store: Store, sessionId: string) =>
      store.ledger.append({
        draft: { sessionId, thought: someThought(), nextThoughtNeeded: true },
        timestamp: new Date().toISOString(),
        salt: "0".repeat(32),
      });
    const append = (sessionId: string) => appendTo(ledger, sessionId);
    const appendsTo = (length: Length) => {
      const ids = sessionsOf(length);
      return () => {
        const id = ids.next().value;
        return timeEach(25, () => append(id));
      };
    };

    try {
      await timeEach(200, () => append(sessionsOf(1).next().value));
      const measured = await interleave(bench.times(60), {
        short: appendsTo(100),
        long: appendsTo(100_000),
        ram: () => timeEach(25, () => appendTo(inRam, session.id)),
        bare: () => timeEach(25, () => bare.append()),
        floor: () => timeEach(25, () => floor.append()),
      });
      const id = sessionsOf(5_000).next().value;
      const rates: number[] = [];
      for (let n = 0; n < bursts; n += 1)
        rates.push((await timeCrowd(64, burst, () => append(id))).perSecond);
      const toFloor = ratioOf(measured.short, measured.floor);
      const toShort = ratioOf(measured.long, measured.short);
      const speedUp = (median(rates) * p50(measured.short)) / 1_000;
      return [
        {
          id: "store-append.floor",
          what: "durable append at the store, 1 caller",
          ours: milliseconds(measured.short),
          against: { name: "fdatasync", figure: milliseconds(measured.floor) },
          ratio: toFloor,
          goal: atMost(1.5, toFloor),
        },
        {
          id: "store-append.bare",
          what: "durable append at the store, 1 caller",
          ours: milliseconds(measured.short),
          against: { name: "SQLite alone, the same number of pages", figure: milliseconds(measured.bare) },
          ratio: ratioOf(measured.short, measured.bare),
        },
        {
          id: "store-append.bare-floor",
          what: "(SQLite alone, the same number of pages)",
          ours: milliseconds(measured.bare),
          against: { name: "fdatasync", figure: milliseconds(measured.floor) },
          ratio: ratioOf(measured.bare, measured.floor),
        },
        {
          id: "store-append.ram",
          what: "(the same append, store in RAM)",
          ours: milliseconds(measured.ram),
          against: { name: "fdatasync", figure: milliseconds(measured.floor) },
          ratio: ratioOf(measured.ram, measured.floor),
        },
        {
          id: "store-append.tail",
          what: "durable append at the store: p99",
          ours: { value: p99(measured.short), unit: "ms" },
          against: { name: "fdatasync, p99", figure: { value: p99(measured.floor), unit: "ms" } },
          ratio: p99(measured.short) / p99(measured.floor),
          goal: tailGoal({ p50: p50(measured.short), p99: p99(measured.short) }, p99(measured.floor)),
        },
        {
          id: "store-append.flat",
          what: "append at the store, n = 100,000",
          ours: milliseconds(measured.long),
          against: { name: "Thoughtbox, n = 100", figure: milliseconds(measured.short) },
          ratio: toShort,
          goal: atMost(1.1, toShort),
        },
        {
          id: "store-append.burst",
          what: "64 callers at the store, bursts of 20,000",
          ours: { value: median(rates), unit: "/s" },
          against: {
            name: "Thoughtbox, one by one",
            figure: { value: 1_000 / p50(measured.short), unit: "/s" },
          },
          ratio: speedUp,
          goal: atLeast(10, speedUp),
        },
      ];
    } finally {
      floor.close();
      bare.close();
      await inRam.close();
      await ledger.close();
    }
  },
};
