import { describe, expect, test } from "vitest";
import { refusalWithCure } from "../../support/replies/execute-recovery.ts";
import { once } from "../../support/run/once.ts";
import {
  backends,
  createTestApp,
  fewWays,
  shareTestApp,
  startThinking,
  type TestClient,
} from "../../support/test-app.ts";

/** Returns the hit's session ID: either its field, or the beginning of its thought's ID. */
const sessionOf = ({ sessionId, id }: { sessionId?: string; id?: string }) =>
  sessionId ?? id?.split(":", 1)[0];

/** Creates two sessions in one project and one in another. */
async function library(client: TestClient, later = () => {}) {
  const think = (sessionId: string, thought: string, more: object = {}) =>
    client.call("thought", { sessionId, thought, ...more });
  const logins = await startThinking(client, {
    title: "Login trouble",
    tags: ["auth"],
    description: "timeouts at noon",
  });
  await think(logins, "S1|O|The gateway answers slowly");
  await think(logins, "S2|H|S1|The connection pool is exhausted");
  await think(logins, "The proxy drops idle connections", { branchFromThought: 2, branchId: "proxy" });
  later();
  const pools = await startThinking(client, { title: "Garden", tags: ["home"] });
  await think(pools, "A pool, a pool, my kingdom for a swimming pool");
  later();
  const other = await startThinking(client, { title: "Elsewhere", project: "other" });
  await think(other, "Another pool entirely");
  const { project } = await client.call("get_state", { sessionId: logins });
  const search = (args: Record<string, unknown>) => client.call("session.search", { project, ...args });
  return { search, think, logins, pools, other };
}

const thoughtsAmong = ({ hits }: any): number => hits.filter(({ thought }: any) => thought).length;

describe.each(fewWays)("search by a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();
  const sameLibrary = once(() => library(client));

  const found = ({ hits }: any) => hits.map(({ id }: any) => id);

  test("names each session once: its first hit has the title, and later hits have their own IDs", async () => {
    const sessionId = await startThinking(client, { title: "Zeppelin hangar", project: "airships" });
    for (const thought of ["The zeppelin leaks", "A zeppelin needs helium"])
      await client.call("thought", { sessionId, thought });
    const { hits } = await client.call("session.search", { query: "zeppelin", project: "airships" });
    expect(hits.filter(({ sessionTitle }: any) => sessionTitle)).toEqual([hits[0]]);
    expect(new Set(hits.map(sessionOf))).toEqual(new Set([sessionId]));
    for (const { id } of hits.filter(({ thought }: any) => thought))
      expect(JSON.stringify(await client.call("open", { id }))).toContain("zeppelin");
  });

  test("finds thoughts by their contents, with number, snippet and session", async () => {
    const { search, logins } = await sameLibrary();
    const told = await search({ query: "exhausted" });
    const [{ timestamp }] = (
      await client.call("read_thoughts", { sessionId: logins, thoughtNumber: 2, verbose: true })
    ).thoughts;
    expect(told).toMatchObject({ query: "exhausted", count: 1, hasMore: false });
    expect(told.hits).toEqual([
      {
        sessionId: logins,
        sessionTitle: "Login trouble",
        id: `${logins}:2`,
        thought: { thoughtNumber: 2 },
        timestamp,
        snippet: "S2|H|S1|The connection pool is «exhausted»",
        score: expect.any(Number),
        matched: ["exhausted"],
      },
    ]);
  });

  test("stays within a named session, regardless of project", async () => {
    const { search, logins, pools } = await sameLibrary();
    const sessions = async (args: object) =>
      new Set((await search({ query: "pool", ...args })).hits.map(sessionOf));
    expect((await sessions({ project: "*" })).size).toBeGreaterThan(2);
    for (const sessionId of [logins, pools])
      for (const project of [{}, { project: "*" }, { project: undefined }])
        expect(await sessions({ sessionId, ...project })).toEqual(new Set([sessionId]));
    expect((await search({ query: "pool", sessionId: logins, project: "other" })).hits).toEqual([]);
  });

  test("names the branch of a thought", async () => {
    const { search, logins } = await sameLibrary();
    expect((await search({ query: "idle" })).hits).toMatchObject([
      { id: `${logins}:proxy:3`, thought: { branchId: "proxy", thoughtNumber: 3 } },
    ]);
  });

  test("ranks the best match first, or the newest first on request", async () => {
    const { search, logins, pools } = await sameLibrary();
    expect(found(await search({ query: "which swimming pool" }))).toEqual([`${pools}:1`, `${logins}:2`]);
    expect(found(await search({ query: "which connection pool" }))[0]).toBe(`${logins}:2`);
    expect(found(await search({ query: "pool", order: "newest" }))).toEqual([`${pools}:1`, `${logins}:2`]);
    expect(found(await search({ query: "pool", project: "*", order: "newest" }))[0]).toMatch(/:1$/);
  });

  test.each([
    ["title", "trouble"],
    ["description", "noon"],
    ["tags", "auth"],
  ])("finds a session by its %s, as a hit without a thought", async (_what, query) => {
    const { search, logins } = await sameLibrary();
    const { hits } = await search({ query });
    expect(hits).toMatchObject([{ sessionId: logins, snippet: expect.stringContaining("«") }]);
    expect(hits[0]).not.toHaveProperty("thought");
  });

  test.each([
    ["other forms of a word", "connecting", 2],
    ["any case", "PROXY", 1],
    ["all words first", "connection pool", 3],
    ["questions", "why was the proxy dropping?", 1],
    ["a phrase", '"connection pool"', 1],
    ["a phrase that does not occur", '"pool connection"', 0],
    ["cipher words", "S2", 1],
  ])("understands %s", async (_what, query, count) => {
    const { search } = await sameLibrary();
    const told = await search({ query });
    expect(told.relaxed === true ? 0 : told.count).toBe(count);
  });

  test("finds texts with some of the words, names those that occur nowhere, and reports a weak answer", async () => {
    const { search, logins } = await sameLibrary();
    expect(await search({ query: "proxy zebra" })).toMatchObject({
      relaxed: true,
      missing: ["zebra"],
      hits: [{ id: `${logins}:proxy:3`, matched: ["proxy"] }],
    });
    expect(await search({ query: "zebra" })).toMatchObject({ count: 0, hits: [], missing: ["zebra"] });
    expect(await search({ query: "which striped zebra crossed the proxy" })).toMatchObject({ weak: true });
    expect(await search({ query: "proxy drops" })).not.toHaveProperty("weak");
  });

  test("reports which words are near a hit", async () => {
    const { search, logins } = await sameLibrary();
    const { hits } = await search({ query: "slowly exhausted" });
    expect(hits.find(({ id }: any) => id === `${logins}:2`)).toMatchObject({
      matched: ["exhausted"],
      nearby: ["slowly"],
    });
  });

  test("returns only thoughts with at least half of the best score in their session", async () => {
    const sessionId = await startThinking(client, { project: "halves" });
    for (const thought of [
      "The archive job moves invoices to cold storage every night because the disk is small",
      ...["one", "two", "three", "four", "five"].map((n) => `Filler ${n} about nothing that is asked`),
      "Every now and then somebody sneezes",
    ])
      await client.call("thought", { sessionId, thought });
    const query = "archive job invoices cold storage every night";
    const { hits } = await client.call("session.search", { project: "halves", query });
    expect(found({ hits })).toEqual([`${sessionId}:1`]);
    const page = await client.call("session.search", { project: "halves", query, offset: 1 });
    expect(page).toMatchObject({ hits: [], hasMore: false });
  });

  test("reports a rare word that is near none of the hits, and returns no cover field", async () => {
    const say = async (thought: string) =>
      client.call("thought", { sessionId: await startThinking(client, { project: "rare" }), thought });
    await say("The checkout queue gets twenty workers because the database allows few");
    await say("The certificate of the mail server expires in May");
    const asked = { project: "rare", query: "checkout queue workers certificate", limit: 1 };
    const answer = await client.call("session.search", asked);
    expect(answer).toMatchObject({ count: 1, missing: ["certificate"] });
    expect(answer.hits[0]).not.toHaveProperty("cover");
    expect(await client.call("session.search", { ...asked, limit: 2 })).not.toHaveProperty("missing");
  });

  test('type "X" with words shows the rejections of the best sessions if none contains the words', async () => {
    const sessionId = await startThinking(client, { project: "dead" });
    for (const thought of [
      "S1|H|cache the catalogue in a shared store",
      "S2|X|S1|operations cannot run another service",
    ])
      await client.call("thought", { sessionId, thought });
    const other = await startThinking(client, { project: "dead" });
    await client.call("thought", { sessionId: other, thought: "S1|X|nobody wants a trigram index" });
    const dead = (query: string) => client.call("session.search", { project: "dead", query, type: "X" });
    expect(await dead("shared catalogue cache")).toMatchObject({
      count: 1,
      hits: [{ id: `${sessionId}:2` }],
      hint: expect.stringContaining("No rejected thought contains these words"),
    });
    expect(found(await dead("trigram"))).toEqual([`${other}:1`]);
    expect(await dead("zebra")).toMatchObject({ count: 0, hits: [] });
  });

  test("searches only the named session if no project is given", async () => {
    const { logins, pools } = await sameLibrary();
    const inSession = await client.call("session.search", { sessionId: pools, query: "pool connection" });
    expect(found(inSession)).toEqual([`${pools}:1`]);
    const dead = await client.call("session.search", { sessionId: logins, type: "H" });
    expect(found(dead)).toEqual([`${logins}:2`]);
  });

  test("needs no query if there is another filter", async () => {
    const { search, logins, pools } = await sameLibrary();
    expect(found(await search({ type: "O" }))).toEqual([`${logins}:1`]);
    expect(found(await search({ tags: ["home"] }))).toEqual([`${pools}:1`]);
    expect((await search({ since: "2000-01-01", limit: 50 })).count).toBeGreaterThan(3);
    expect((await search({ until: "2000-01-01" })).hits).toEqual([]);
  });

  test("counts matches in other projects without showing them", async () => {
    const { search, think, other } = await sameLibrary();
    await think(other, "a quokka in the other project");
    const told = await search({ query: "quokka" });
    expect(told).toMatchObject({ hits: [], hint: expect.stringContaining("1 thought in other projects") });
    expect((await search({ query: "quokka", project: "*" })).hits).toHaveLength(1);
    expect(await search({ query: "proxy" })).not.toHaveProperty("hint");
  });

  test("returns as many hits per session as requested", async () => {
    const { search } = await sameLibrary();
    const { hits } = await search({ query: "connection pool proxy gateway", perSession: 1 });
    expect(new Set(hits.map(sessionOf)).size).toBe(hits.length);
    expect(hits.length).toBeGreaterThan(1);
  });

  test.each([
    ["a cipher type", { query: "pool", type: "H" }, 1],
    ["another cipher type", { query: "pool", type: "O" }, 0],
    ["a tag of the session", { query: "pool", tags: ["home"] }, 1],
    ["all of several tags", { query: "pool", tags: ["home", "auth"] }, 0],
    ["another project", { query: "pool", project: "other" }, 1],
    ["all projects", { query: "pool", project: "*" }, 3],
  ])("narrows by %s", async (_what, args, count) => {
    const { search } = await sameLibrary();
    expect(thoughtsAmong(await search(args))).toBe(count);
  });

  test("returns hits page by page", async () => {
    const { search, think, logins } = await sameLibrary();
    for (let n = 0; n < 5; n += 1) await think(logins, `walrus ${n}`);
    const pages = [];
    for (const offset of [0, 2, 4])
      pages.push(await search({ query: "walrus", limit: 2, offset, order: "newest" }));
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
    expect(new Set(pages.flatMap(found)).size).toBe(5);
  });

  test("finds what was recorded a moment ago", async () => {
    const { search, think, logins } = await sameLibrary();
    for (let n = 0; n < 3; n += 1) {
      await think(logins, `fresh${n} thought`);
      expect(await search({ query: `fresh${n}` })).toMatchObject({ count: 1 });
    }
  });

  test.each([
    "AND",
    "pool AND",
    "pool OR proxy",
    "NOT pool",
    "NEAR(pool proxy)",
    "pool*",
    "^pool",
    "title:pool",
    '"pool',
    "(pool",
    "po'ol; --",
    "{pool}",
    "a".repeat(500),
    "pool ".repeat(90),
    "日本 思考",
    "👩‍🚀 pool",
    "\u0301pool",
  ])("treats %j as plain words, never as query syntax", async (query) => {
    const { search } = await sameLibrary();
    expect(await search({ query })).toMatchObject({ hits: expect.any(Array) });
  });

  test.each([
    ["a query without words", { query: "… !? *" }],
    ["a query of 501 characters", { query: "q".repeat(501) }],
    ["a call without any filter", {}],
    ["eleven hits per session", { query: "pool", perSession: 11 }],
    ["a month that does not exist", { query: "pool", since: "2026-13-01T00:00:00Z" }],
    ["a day that does not exist", { query: "pool", until: "2026-99-99" }],
    ["an hour that does not exist", { query: "pool", since: "2026-01-01T99:99:99Z" }],
    ["words as a date", { query: "pool", since: "yesterday" }],
    ["a NUL character", { query: '"po\0ol"' }],
  ])("refuses %s", async (_what, args) => {
    const { logins } = await sameLibrary();
    const call = { sessionId: logins, ...args };
    const error = await client.refusal("session.search", call);
    expect(error.code).toBe("INVALID_PAYLOAD");
    if (error.recovery?.operation !== undefined) await refusalWithCure(client, "session.search", call);
  });
});

describe.each(backends)("search with a controlled clock, on %s", (backend) => {
  test.each([
    ["since a time", { query: "pool", since: "2026-03-01T10:30:00Z" }, 1],
    ["since a time in another time zone", { query: "pool", since: "2026-03-01T12:30:00+02:00" }, 1],
    ["until a time", { query: "pool", until: "2026-03-01T10:30:00Z" }, 1],
    ["a day", { query: "pool", since: "2026-03-01", until: "2026-03-01" }, 2],
    ["another day", { query: "pool", since: "2026-03-02" }, 0],
  ])("narrows by %s", async (_what, args, count) => {
    let now = new Date("2026-03-01T10:00:00.000Z");
    const client = createTestApp({ backend, clock: () => now }).modern();
    const { search } = await library(client, () => {
      now = new Date(now.getTime() + 60 * 60 * 1000);
    });
    expect(thoughtsAmong(await search(args))).toBe(count);
  });
});
