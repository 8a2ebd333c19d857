import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogue } from "../../../src/operations/catalogue.ts";
import type { Args, Operation } from "../../../src/operations/pipeline/operation.ts";
import { openBareApp } from "../../support/bare-app.ts";
import { freeFields, swell } from "../../support/processor-time/swell.ts";
import { fillIn, situations } from "../../support/situations.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** Assembled here so that secret scanners do not flag this file. */
const secret = `ghp_${"R4nd0mT0kenOf36Characters"}${"AbCdEf12345"}`;
/** Repeats the secret, so that nearly every cut through the text also cuts through a copy of the secret. */
const leak = (length: number): string => {
  const whole = Math.floor(Math.min(length, 6_000) / (secret.length + 1));
  return whole === 0 ? "short" : Array.from({ length: whole }, () => secret).join(" ");
};
const pieces = Array.from({ length: secret.length - 11 }, (_, at) => secret.slice(at, at + 12).toLowerCase());

const uses = new Map<string, { operation: Operation; input: Args }[]>();
for (const operation of catalogue)
  for (const { given = "nothing yet", input } of operation.examples)
    uses.set(given, [...(uses.get(given) ?? []), { operation, input }]);

test.each([...uses])(
  "in %s, no answer shows part of a secret that was cut",
  async (given, list) => {
    const dataDir = join(tempDir(), "data");
    const app = openBareApp("memory", dataDir, { THOUGHTBOX_SECRETS: "warn" });
    const situation = (await situations[given]?.({ ...app, dataDir } as never)) ?? { client: app.client };
    const leaks: string[] = [];
    const call = async (operation: Operation, args: Args, how: string) => {
      if (operation.secrets.mask === false) return;
      const reply = JSON.stringify(await situation.client.reply(operation.name, args, situation.call));
      const piece = pieces.find((one) => reply.toLowerCase().includes(one));
      if (piece === undefined) return;
      const at = reply.toLowerCase().indexOf(piece);
      leaks.push(`${operation.name} ${how}: ${reply.slice(Math.max(0, at - 80), at + 60)}`);
    };
    for (const { operation, input } of list.filter(({ operation }) => operation.effect !== "read"))
      for (const field of freeFields(operation))
        await call(
          operation,
          swell(operation, fillIn(input, situation), [field], leak),
          `with ${String(field)}`,
        );
    for (const { operation, input } of list) {
      const args = fillIn(input, situation);
      await call(operation, args, "as it is");
      for (const offset of [7, 20, 45])
        if ("offset" in operation.input) await call(operation, { ...args, offset }, `from ${offset}`);
      for (const max_chars of [300, 1_000])
        await call(operation, { ...args, max_chars }, `within ${max_chars}`);
    }
    await app.close();
    expect(leaks).toEqual([]);
  },
  120_000,
);

test("excerpts of cards, revisions and cells show no part of a secret", async () => {
  const { client, close } = openBareApp("memory", join(tempDir(), "data"), { THOUGHTBOX_SECRETS: "warn" });
  const text = leak(3_000);
  const { sessionId } = await client.call("start_new", { title: "Pools" });
  await client.call("cipher", { sessionId });
  await client.call("thought", { sessionId, thought: text });
  await client.call("thought", { sessionId, thought: text, revisesThought: 1 });
  for (const operation of ["think_add_decision", "think_add_question"])
    await client.call(operation, { card: { title: leak(120), text } });
  await client.call("notes_commit", { content: text });
  await client.call("trace_step", { step: leak(400) });
  const shown = [];
  for (const [operation, args] of [
    ...["context_pack", "changes", "trace_hydrate", "think_context", "think_pack", "open"].map((name) => [
      name,
      {},
    ]),
    ["session.export", { sessionId, format: "markdown" }],
    ["load_context", { sessionId }],
    ["knowledge.list_scratchpad", { sessionId }],
  ] as [string, Args][]) {
    const reply = JSON.stringify(await client.reply(operation, args)).toLowerCase();
    if (pieces.some((piece) => reply.includes(piece))) shown.push(operation);
  }
  await close();
  expect(shown).toEqual([]);
});
