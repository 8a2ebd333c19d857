import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import fc from "../../support/fast-check.ts";
import { mutate, mutation, owed } from "../../support/mutated-messages.ts";
import { connectRaw, eras, startThinking } from "../../support/raw-client.ts";
import { enoughTime, gateSeed, reportSoak, times } from "../../support/run/soak.ts";
import { spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";

const mutations = times("hostile messages", 4_000) / 2;
function countEach(values: unknown[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

describe.each(eras)("mutated messages to a %s connection", (era) => {
  test(`each of ${mutations} mutated requests is answered exactly once, and the server keeps running`, {
    timeout: enoughTime(mutations, 10),
  }, async () => {
    const server = spawnServer(join(tempDir(), "data"));
    const client = await connectRaw(server, era);
    const sessionId = await startThinking(client);
    const since = server.lines.length;
    const seed = gateSeed;
    const lines = fc.sample(mutation, { numRuns: mutations, seed }).map((one) => mutate(era, sessionId, one));
    server.sendRaw(Buffer.concat(lines));
    const alive = server.expectAnswer("alive");
    server.sendRaw(client.line("alive", "get_state"));
    expect((await alive).result.structuredContent.stage).toBeDefined();
    server.child.stdin.end();
    const [code] = await once(server.child, "close");
    expect(code).toBe(0);

    const answers = server.lines
      .slice(since)
      .map((line) => JSON.parse(line))
      .filter((message) => message.method === undefined && message.id !== "alive");
    const debts = lines.map(owed);
    const named = debts.flatMap((debt) => (typeof debt === "object" ? [debt.id] : []));
    // A cut can produce two lines with the same ID. The total number of answers shows that none arrived twice.
    const [due, given] = [countEach(named), countEach(answers.map(({ id }) => id))];
    const missing = named.filter((id) => (given.get(id) ?? 0) < (due.get(id) ?? 0));
    expect(missing, `seed ${seed}`).toEqual([]);
    expect(answers.length, `seed ${seed}`).toBe(debts.filter((debt) => debt !== "nothing").length);
    expect(Math.min(named.length, debts.filter((debt) => debt === "unreadable").length)).toBeGreaterThan(
      mutations / 20,
    );
    reportSoak("hostile messages over stdio", `${lines.length} ${era} messages, ${answers.length} answers`);
  });
});
