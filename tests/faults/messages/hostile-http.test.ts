import { join } from "node:path";
import { describe, expect, test } from "vitest";
import fc from "../../support/fast-check.ts";
import { type HttpProcess, spawnHttpServer } from "../../support/http-process.ts";
import {
  allMessages,
  jsonHeaders,
  modernRequest,
  openLegacySession,
  request,
} from "../../support/mcp-http.ts";
import { type Mutation, mutate, mutation, owed, requestsFor } from "../../support/mutated-messages.ts";
import { type Era, eras } from "../../support/raw-client.ts";
import { enoughTime, gateSeed, reportSoak, times } from "../../support/run/soak.ts";
import { tempDir } from "../../support/temp-dir.ts";

const mutations = times("hostile messages", 2_000) / 2;
const atOnce = 16;

type Headers = Record<string, string>;
type Given = { status: number; answers: any[] };

async function send(url: URL, body: Buffer | string, headers: Headers): Promise<Given> {
  const given = await fetch(url, { method: "POST", headers: { ...jsonHeaders, ...headers }, body });
  const { status } = given;
  if (status === 202) return { status, answers: [] };
  const messages = await allMessages(given);
  return { status, answers: messages.filter(({ method }) => method === undefined) };
}

/**
 * A legacy connection is bound to the session of its last `start_new`, so thoughts are sent over a separate
 * one.
 */
type Connections = { thinking: Headers; other: Headers };

/** Returns the headers for the message before it was mutated, as a client library would send them. */
function headersFor({ request: kind }: Mutation, connections: Connections | undefined): Headers {
  const [method, params] = requestsFor("")[kind] ?? ["ping", {}];
  if (!connections) return modernRequest(0, method, params).headers;
  const { operation } = (params["arguments"] ?? {}) as { operation?: string };
  return operation === "thought" ? connections.thinking : connections.other;
}

async function connect(era: Era, { url }: HttpProcess): Promise<Connections | undefined> {
  if (era === "modern") return undefined;
  return { thinking: await openLegacySession(url), other: await openLegacySession(url) };
}

function expectWhatIsOwed(message: Buffer, { status, answers }: Given, seed: number): void {
  const debt = owed(message);
  const about = `seed ${seed}, answered ${status} to ${message.toString("latin1").slice(0, 400)}`;
  if (debt === "nothing") {
    expect(
      answers.filter(({ error }) => error === undefined),
      about,
    ).toEqual([]);
    return;
  }
  expect(answers, about).toHaveLength(1);
  if (debt !== "unreadable") expect(answers[0].id, about).toBe(debt.id);
  else expect(answers[0].error, about).toBeDefined();
}

/** Makes a call that must succeed, on a legacy session or as a modern client. */
async function call({ url }: HttpProcess, args: Record<string, unknown>, session?: Headers): Promise<any> {
  const params = { name: "thoughtbox_gateway", arguments: args };
  const modern = modernRequest(1, "tools/call", params);
  const { body, headers } = session ? { body: request(1, "tools/call", params), headers: session } : modern;
  const { answers } = await send(url, JSON.stringify(body), headers);
  expect(answers[0].result?.isError ?? false, JSON.stringify(answers[0]).slice(0, 300)).toBe(false);
  return answers[0].result.structuredContent;
}

async function listAll(server: HttpProcess): Promise<{ id: string; thoughtCount: number }[]> {
  const all = [];
  for (;;) {
    const page = { operation: "list_sessions", project: "*", limit: 100, offset: all.length };
    const { sessions } = await call(server, page);
    all.push(...sessions);
    if (sessions.length < 100) return all;
  }
}

/** Returns the sessions and the number of thoughts that are stored, according to the answers. */
function storedBy(given: Given[]) {
  const results = given.flatMap(({ answers }) =>
    answers.flatMap(({ result }) => (result?.isError ? [] : (result?.structuredContent ?? []))),
  );
  const sessions = new Set(results.flatMap(({ sessionId }) => sessionId ?? []));
  return { sessions, thoughts: results.filter(({ thoughtNumber }) => thoughtNumber !== undefined).length };
}

describe.each(eras)("mutated messages of a %s client over HTTP", (era) => {
  test(`each of ${mutations} mutated requests is answered exactly once, and refused ones store nothing`, {
    timeout: enoughTime(mutations, 20),
  }, async () => {
    const server = await spawnHttpServer(join(tempDir(), "data"));
    const connections = await connect(era, server);
    const { sessionId } = await call(
      server,
      { operation: "start_new", title: "hostile" },
      connections?.thinking,
    );
    await call(server, { operation: "cipher", sessionId }, connections?.thinking);
    const seed = gateSeed;
    const waiting = fc.sample(mutation, { numRuns: mutations, seed });
    const all: Given[] = [];
    const debts = { named: 0, unreadable: 0 };
    const work = async (): Promise<void> => {
      for (let one = waiting.pop(); one; one = waiting.pop()) {
        const message = mutate(era, sessionId, one);
        const given = await send(server.url, message, headersFor(one, connections));
        expectWhatIsOwed(message, given, seed);
        const debt = owed(message);
        if (debt !== "nothing") debts[debt === "unreadable" ? "unreadable" : "named"] += 1;
        all.push(given);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    expect(Math.min(debts.named, debts.unreadable), "too tame").toBeGreaterThan(mutations / 20);
    expect((await call(server, { operation: "get_state" })).stage).toBeDefined();
    expect(server.child.exitCode).toBeNull();

    const told = storedBy(all);
    const listed = await listAll(server);
    expect(new Set(listed.map(({ id }) => id)), `seed ${seed}`).toEqual(told.sessions.add(sessionId));
    const thoughts = listed.reduce((sum, { thoughtCount }) => sum + thoughtCount, 0);
    expect(thoughts, `seed ${seed}`).toBe(told.thoughts);
    expect(Math.min(told.sessions.size - 1, told.thoughts)).toBeGreaterThan(0);
    reportSoak(
      "hostile messages over HTTP",
      `${all.length} ${era} messages, ${told.thoughts} thoughts stored`,
    );
  });
});
