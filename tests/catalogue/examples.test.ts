import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { toCall } from "../../src/operations/help/describe-operation.ts";
import { fillIn, situations } from "../support/situations.ts";
import { lastingStores } from "../support/stores/stores.ts";
import { createTestApp } from "../support/test-app.ts";

const examples = catalogue.flatMap((operation) =>
  operation.examples.map((example) => [operation.name, example.title, example, operation] as const),
);

test("the catalogue contains examples", () => {
  expect(examples.length).toBeGreaterThanOrEqual(catalogue.length);
});

// The test client checks every result against the operation's output schema.
describe.each(lastingStores)("on %s", (backend) => {
  test.each(examples)("%s: %s", async (name, _title, { given, input }) => {
    const app = createTestApp({ backend });
    const prepare = given === undefined ? undefined : situations[given];
    const situation = prepare ? await prepare(app) : { client: app.modern() };
    const { client, call } = situation;
    expect(await client.reply(name, fillIn(input, situation), call)).toMatchObject({ kind: "result" });
  });
});

test.each(examples)(
  "%s: %s, through the gateway as in the reference",
  async (_name, _title, example, operation) => {
    const app = createTestApp();
    const prepare = example.given === undefined ? undefined : situations[example.given];
    const situation = prepare ? await prepare(app) : { client: app.modern() };
    const { client, call, sessionId = "", conflict = "", notebook = "" } = situation;
    const shown = JSON.stringify(toCall(operation, example.input));
    const args = JSON.parse(
      shown
        .replaceAll("<sessionId>", sessionId)
        .replace("<conflict_id>", conflict)
        .replace("<notebookId>", notebook),
    );
    expect(await client.reply("thoughtbox_gateway", args, call)).toMatchObject({ kind: "result" });
  },
);
