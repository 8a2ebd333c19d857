import { describe, expect, test } from "vitest";
import { refusalWithCure } from "../support/replies/execute-recovery.ts";
import { createTestApp, fewWays, shareTestApp, startThinking, throughGateway } from "../support/test-app.ts";

describe.each(fewWays)("mental models for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();
  const names = (answer: any) => answer.models.map(({ name }: any) => name);

  test("number fifteen under six tags, and each tag lists its models", async () => {
    const sessionId = await startThinking(client);
    const all = await client.call("mental_models.list_models", { sessionId });
    expect(all).toMatchObject({ count: 15, filter: null });
    expect(all.domainFirst).toBeUndefined();
    const { tags, count } = await client.call("mental_models.list_tags", { sessionId });
    expect(count).toBe(6);
    for (const { name: tag, description } of tags) {
      expect(description).toMatch(/\.$/);
      const listed = await client.call("mental_models.list_models", { sessionId, tag });
      expect(listed.filter).toBe(tag);
      expect(names(listed)).toEqual(
        all.models.filter((model: any) => model.tags.includes(tag)).map((model: any) => model.name),
      );
    }
    const both = await client.call("mental_models.list_models", {
      sessionId,
      tags: ["debugging", "risk-management"],
    });
    expect(names(both).sort()).toEqual([
      "adversarial-thinking",
      "five-whys",
      "inversion",
      "pre-mortem",
      "rubber-duck",
    ]);
  });

  test.each(["modelId", "model"])("are read in full by %s", async (field) => {
    const sessionId = await startThinking(client);
    const reply = await client.reply("mental_models.get_model", { sessionId, [field]: "five-whys" });
    if (reply.kind !== "result") throw new Error("no result");
    const { name, title, tags, content } = reply.result as any;
    expect({ name, title, tags }).toEqual({
      name: "five-whys",
      title: "Five Whys",
      tags: ["debugging", "problem-solving"],
    });
    expect(reply.markdown).toBe(content);
    for (const part of ["Purpose", "When to use", "Process", "Worked example", "Anti-patterns"])
      expect(content).toContain(`## ${part}`);
  });

  test.each([
    ["start_new", async (domain: string) => startThinking(client, { domain })],
    [
      "navigate",
      async (domain: string) => {
        const sessionId = await startThinking(client);
        expect(await client.call("navigate", { sessionId, domain })).toMatchObject({ stage: 3 });
        return sessionId;
      },
    ],
  ])("of the domain passed to %s come first at stage 3, and the answer reports that", async (_by, start) => {
    const sessionId = await start("risk-management");
    const listed = await client.call("mental_models.list_models", { sessionId });
    expect(listed).toMatchObject({ count: 15, domainFirst: "risk-management" });
    expect(names(listed).slice(0, 3).sort()).toEqual(["adversarial-thinking", "inversion", "pre-mortem"]);
  });

  test("with an unknown name are refused, and the error lists the valid names and the nearest one", async () => {
    const sessionId = await startThinking(client);
    const args = { sessionId, modelId: "five-wyhs" };
    const error = await refusalWithCure(client, "mental_models.get_model", args);
    expect(error).toMatchObject({ code: "INVALID_PAYLOAD", message: expect.stringContaining("five-whys") });
    expect(error.details?.["models"]).toHaveLength(15);
    expect(
      await client.refusal("mental_models.get_model", { sessionId, modelId: "../cipher" }),
    ).toMatchObject({
      code: "INVALID_PAYLOAD",
    });
    const wrongTag = await client.refusal("mental_models.list_models", { sessionId, tag: "cooking" });
    expect(wrongTag).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: expect.stringContaining("debugging"),
    });
  });

  test("are unavailable until the cipher has been read", async () => {
    const newcomer = throughGateway(createTestApp({ backend })[era]());
    const { sessionId } = await newcomer.call("start_new");
    const error = await refusalWithCure(newcomer, "mental_models.list_tags", { sessionId });
    expect(error).toMatchObject({ code: "STAGE_REQUIREMENT_NOT_MET", recovery: { operation: "cipher" } });
  });
});
