import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import { describeOperation } from "../../src/operations/help/describe-operation.ts";
import { toolName } from "../../src/operations/normalise.ts";
import { refusalWithCure } from "../support/execute-recovery.ts";
import { shareTestApp, ways } from "../support/test-app.ts";

describe.each(ways)("help for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();
  const ask = (args: object = {}) => client.call("help", args);

  test("without a topic lists every operation and every subject", async () => {
    const { topic, markdown } = await ask();
    expect(topic).toBe("overview");
    for (const { name, summary } of catalogue)
      expect(markdown).toMatch(new RegExp(`\\| \`${name}\` \\| [0-3] \\| ${summary.slice(0, 20)}`));
    for (const subject of ["branches", "errors", "numbering", "revisions", "sessions", "stages"])
      expect(markdown).toContain(subject);
  });

  test.each(catalogue.map((operation) => [operation.name, operation] as const))(
    "on %s is its reference page, by name and as a tool",
    async (name, operation) => {
      const page = describeOperation(operation);
      expect((await ask({ topic: name })).markdown).toBe(page);
      expect((await ask({ topic: toolName(name) })).markdown).toBe(page);
      for (const field of Object.keys(operation.input.shape)) expect(page).toContain(`| \`${field}\` |`);
    },
  );

  test("on a group explains all of it", async () => {
    const { markdown } = await ask({ topic: "session" });
    for (const { name } of catalogue)
      expect(markdown.includes(`# ${name}\n`), name).toBe(name.startsWith("session."));
  });

  test("answers prose as prose", async () => {
    const reply = await client.reply("help", { topic: "stages" });
    expect(reply).toMatchObject({ kind: "result", markdown: expect.stringMatching(/^#/) });
  });

  test("on something unknown offers the nearest", async () => {
    expect(await refusalWithCure(client, "help", { topic: "brunches" })).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: 'There is no help on "brunches". Did you mean branches?',
    });
    expect(await refusalWithCure(client, "help", { topic: "../../package" })).toMatchObject({
      code: "INVALID_PAYLOAD",
    });
  });
});
