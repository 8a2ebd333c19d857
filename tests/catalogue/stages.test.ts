import { expect, test } from "vitest";
import { stages } from "../../src/domain/stages/stages.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import type { Operation } from "../../src/operations/pipeline/operation.ts";
import { forAll } from "../support/for-all.ts";
import { executeRecovery } from "../support/replies/execute-recovery.ts";
import { createTestApp, type TestApp, type TestClient, throughGateway } from "../support/test-app.ts";

const staged = catalogue.filter(({ stage }) => stages[stage] > stages.entry);
const nameOf = ({ name }: Operation): string => name;
const eras = ["modern", "legacy"] as const;

test("every stage has operations", () => {
  for (const stage of ["entry", "init_complete", "cipher_loaded"])
    expect(catalogue.filter((operation) => operation.stage === stage).length).toBeGreaterThan(0);
});

/** Returns an example's arguments. A modern caller names its session, and a legacy one is bound to it. */
function argumentsFor({ examples }: Operation, sessionId: string | undefined, client: TestClient) {
  const { sessionId: _session, ...input } = examples[0]?.input ?? {};
  return sessionId === undefined || client.caller.era === "legacy" ? input : { ...input, sessionId };
}

test.each(eras)("a new %s client is refused later stages, and the recovery leads to them", async (era) => {
  const app = createTestApp();
  await forAll(staged, nameOf, async (operation) => {
    const client = throughGateway(app[era]());
    const { name } = operation;
    const requiredStage = stages[operation.stage];
    let sessionId: string | undefined;
    for (let currentStage = 0; currentStage < requiredStage; currentStage += 1) {
      const args = argumentsFor(operation, sessionId, client);
      const error = await client.refusal(name, args);
      expect(error.code).toBe("STAGE_REQUIREMENT_NOT_MET");
      expect(error.details).toMatchObject({ currentStage, requiredStage });
      expect(error.recovery?.operation).toBe(currentStage === 0 ? "start_new" : "cipher");
      const recovered = await executeRecovery(client, args, error);
      sessionId = recovered.sessionId;
      expect(recovered.stage).toBe(currentStage + 1);
    }
    const reply = await client.reply(name, argumentsFor(operation, sessionId, client));
    if (reply.kind === "error") expect(reply.error.code).not.toBe("STAGE_REQUIREMENT_NOT_MET");
  });
});

test("a new connection that calls an old session is advised to load that session first", async () => {
  const app = createTestApp();
  await forAll(staged, nameOf, async ({ name }) => {
    const { sessionId } = await app.legacy().call("start_new", { sessionTitle: "old" });
    const client = throughGateway(app.legacy());
    const error = await client.refusal(name, { sessionId });
    expect(error.recovery).toMatchObject({ operation: "load_context", args: { sessionId } });
    expect(await executeRecovery(client, { sessionId }, error)).toMatchObject({ sessionId, stage: 1 });
  });
});

/** Returns a function that calls operations from new clients on one store. */
function newcomers(open: (app: TestApp) => TestClient): (operation: Operation) => Promise<void> {
  const app = createTestApp();
  return async ({ name }) => {
    const reply = await open(app).reply(name, {});
    if (reply.kind === "error") expect(reply.error.code).not.toBe("STAGE_REQUIREMENT_NOT_MET");
  };
}

test("operations of the first stage are open from the start", () =>
  forAll(
    catalogue.filter(({ stage }) => stage === "entry"),
    nameOf,
    newcomers((app) => throughGateway(app.modern())),
  ));

test.each(eras)("no stage applies to a %s client that calls an operation by its own name", (era) =>
  forAll(
    catalogue,
    nameOf,
    newcomers((app) => app[era]()),
  ),
);
