import type { Call } from "../../src/operations/perform.ts";
import { type createTestApp, startThinking, type TestClient } from "./test-app.ts";

type App = ReturnType<typeof createTestApp>;

/** Who calls, on which session (`$session` in the examples), and what the client answers when it is asked. */
type Situation = { client: TestClient; sessionId?: string; call?: Partial<Call> };

/** The situations that the examples of the catalogue take place in. */
export const situations: Record<string, (app: App) => Promise<Situation>> = {
  "a new session": async (app) => {
    const client = app.modern();
    const { sessionId } = await client.call("start_new", { sessionTitle: "Why do logins time out?" });
    return { client, sessionId };
  },
  "a session with thoughts": withThoughts,
  "a session with a branch": async (app) => {
    const situation = await withThoughts(app);
    const { client, sessionId } = situation;
    const fork = { sessionId, thought: "Or is it the proxy?", branchFromThought: 2, branchId: "alt" };
    await client.call("thought", fork);
    await client.call("thought", { sessionId, thought: "It drops idle sockets.", branchId: "alt" });
    return situation;
  },
  "a project with knowledge": async (app) => {
    const situation = await withThoughts(app);
    const { client, sessionId } = situation;
    await client.call("knowledge.create_pattern", {
      sessionId,
      title: "Check the pool",
      description: "Waiting looks like slow work.",
      content: "Count the waiting connections first.",
      tags: ["debugging"],
    });
    await client.call("knowledge.write_scratchpad", {
      sessionId,
      topic: "Handover",
      content: "Next: the proxy.",
    });
    return situation;
  },
  "an exported session": async (app) => {
    const situation = await withThoughts(app);
    const { client, sessionId } = situation;
    await client.call("session.export", { sessionId, destination: "review.json" });
    return situation;
  },
  "a deleted session": async (app) => {
    const situation = await withThoughts(app);
    await situation.client.call("session.delete", { sessionId: situation.sessionId, confirm: true });
    return situation;
  },
  "a workspace with a branch": async (app) => {
    const client = app.modern();
    await client.call("notes_commit", { content: "Reads are slow since noon.", title: "Observation" });
    await client.call("branch_create", { name: "try/cache" });
    await client.call("notes_commit", { branch: "try/cache", content: "A cache in front of the reads?" });
    return { client };
  },
  "a client with roots": async (app) => ({
    client: app.modern({ can: { roots: true, sampling: false } }),
    call: { answers: { roots: [{ uri: "file:///home/ada/shop", name: "shop" }] } },
  }),
};

async function withThoughts(app: App): Promise<Situation & { sessionId: string }> {
  const client = app.modern();
  const sessionId = await startThinking(client, {
    sessionTitle: "Why do logins time out?",
    tags: ["example"],
  });
  await client.call("thought", { sessionId, thought: "S1|O|Every login has hit a timeout since noon" });
  await client.call("thought", { sessionId, thought: "S2|H|S1|The connection pool is too small" });
  await client.call("thought", { sessionId, thought: "S3|E|S2|Forty of forty connections are taken" });
  return { client, sessionId };
}

/** An example's input with the situation's session in its place. */
export function fillIn(input: Record<string, unknown>, { sessionId }: Situation): Record<string, unknown> {
  return input["sessionId"] === "$session" ? { ...input, sessionId } : input;
}
