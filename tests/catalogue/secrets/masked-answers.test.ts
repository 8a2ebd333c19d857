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
const hidden = "\u{e0069}\u{e0067}\u202e";
const leak = (length: number): string =>
  (length < 80 ? secret : `pool ${secret} here ${hidden}`).slice(0, length);

/** Returns whether an operation is a JSON export. As a backup, an export is not masked. */
const isBackup = ({ secrets }: Operation): boolean => secrets.mask === false;

type Use = { operation: Operation; input: Args };
const uses = new Map<string, Use[]>();
for (const operation of catalogue)
  for (const { given = "nothing yet", input } of operation.examples)
    uses.set(given, [...(uses.get(given) ?? []), { operation, input }]);

const seen = { masked: 0, shown: 0 };

test("only the JSON export of a session is a backup", () => {
  expect(catalogue.filter(isBackup).map(({ name }) => name)).toEqual(["session.export"]);
});

test.each([...uses])(
  "in %s, no answer shows a stored secret or hidden character",
  async (given, list) => {
    const dataDir = join(tempDir(), "data");
    const app = openBareApp("memory", dataDir, { THOUGHTBOX_SECRETS: "warn" });
    const situation = (await situations[given]?.({ ...app, dataDir } as never)) ?? { client: app.client };
    const leaks: string[] = [];
    const call = async (operation: Operation, args: Args) => {
      const reply = JSON.stringify(await situation.client.reply(operation.name, args, situation.call));
      if (isBackup(operation)) return;
      if (reply.includes("[secret:")) seen.masked += 1;
      if (reply.includes("\\\\u{202e}")) seen.shown += 1;
      if (reply.includes(secret) || /[\u{e0000}-\u{e0fff}\u202e]/u.test(reply)) leaks.push(operation.name);
    };
    for (const { operation, input } of list.filter(({ operation }) => operation.effect !== "read"))
      for (const field of freeFields(operation))
        await call(operation, swell(operation, fillIn(input, situation), [field], leak));
    for (const { operation, input } of list) await call(operation, fillIn(input, situation));
    await app.close();
    expect(leaks).toEqual([]);
  },
  120_000,
);

test("the tests above saw answers with masked secrets and hidden characters", () => {
  expect(seen.masked).toBeGreaterThan(60);
  expect(seen.shown).toBeGreaterThan(40);
});
