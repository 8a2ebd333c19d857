import { stages } from "../../src/domain/stages/stages.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createPostgresStore } from "../../src/storage/postgres/postgres-store.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { timeCrowd } from "../measure/timing.ts";
import { someThought } from "../stores/some-thought.ts";

/**
 * One of several processes that write to a store. The process opens its session, reports that, waits for a
 * line, and writes.
 */
const [, , place = "", tenant = "", session = "", callers = "1", calls = "1"] = process.argv;

const store = place.startsWith("postgres:")
  ? createPostgresStore({ url: place, tenant, poolSize: 10 }, systemClock)
  : createSqliteStore({ kind: "directory", path: place }, systemClock);

await store.ledger.createSession({
  id: session,
  project: "_default",
  title: "a crowd",
  description: undefined,
  tags: [],
  partitionPath: undefined,
  createdAt: new Date().toISOString(),
  state: { stage: stages.cipher_loaded, navigation: {} },
});
const append = () =>
  store.ledger.append({
    draft: { sessionId: session, thought: someThought(), nextThoughtNeeded: true },
    timestamp: new Date().toISOString(),
    salt: "0".repeat(32),
  });
await timeCrowd(Number(callers), Number(callers), append);
process.stdout.write("ready\n");
process.stdin.once("data", async () => {
  const { perSecond } = await timeCrowd(Number(callers), Number(calls), append);
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ perSecond, processorMs: (user + system) / 1_000 })}\n`);
  await store.close();
  process.exit(0);
});
