import { expect, test } from "vitest";
import { openObservatory } from "./observatory.testing.ts";

type Opened = Awaited<ReturnType<typeof openObservatory>>;

async function think({ call }: Opened): Promise<string> {
  const { sessionId } = await call("start_new", { sessionTitle: "Pool" });
  await call("thought", { sessionId, thought: "S1|H|The pool is too small" });
  return sessionId;
}

const post = ({ url }: Opened, body: unknown, headers: Record<string, string> = { origin: url }) =>
  fetch(`${url}/api/remarks`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

test("the Observatory's page adds a comment, which every open page and the next agent see", async () => {
  const observatory = await openObservatory();
  const sessionId = await think(observatory);
  const viewer = await observatory.look();
  viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
  await viewer.until(() => viewer.messages.find(({ event }) => event === "session:snapshot"));
  const answer = await post(observatory, { sessionId, thoughtNumber: 1, comment: "Since Monday only." });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ comments: [{ text: "Since Monday only." }] });
  const told = await viewer.until(() => viewer.messages.find(({ event }) => event === "session:remarked"));
  const remarks = [{ thoughtNumber: 1, comments: [{ text: "Since Monday only." }] }];
  expect(told.data).toMatchObject({ remarks });
  expect(await observatory.json(`/api/sessions/${sessionId}/remarks`)).toMatchObject({ remarks });
  expect(await observatory.call("load_context", { sessionId })).toMatchObject({ remarks });
});

test("other pages, programs without a page and forms are refused, and nothing is stored", async () => {
  const observatory = await openObservatory({ env: { THOUGHTBOX_OBSERVATORY_HTTP_API: "true" } });
  const sessionId = await think(observatory);
  const body = { sessionId, thoughtNumber: 1, star: true };
  const other = `http://127.0.0.1:${observatory.service.port === 9 ? 10 : 9}`;
  const tries = [{}, { origin: other }, { origin: "https://example.com" }, { origin: "null" }];
  for (const headers of tries)
    expect((await post(observatory, body, headers)).status, JSON.stringify(headers)).toBeGreaterThanOrEqual(
      401,
    );
  const form = { origin: observatory.url, "content-type": "text/plain" };
  expect((await post(observatory, body, form)).status).toBe(415);
  expect(await observatory.json(`/api/sessions/${sessionId}/remarks`)).toEqual({ remarks: [] });
});

test("without a token, no one can comment", async () => {
  const observatory = await openObservatory({ env: { THOUGHTBOX_AUTH: "off" } });
  const sessionId = await think(observatory);
  const answer = await post(observatory, { sessionId, thoughtNumber: 1, star: true });
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining("token") } });
});

test("reports what is wrong with a request", async () => {
  const observatory = await openObservatory();
  const sessionId = await think(observatory);
  const wrong: [unknown, number][] = [
    ["[", 400],
    ["[]", 400],
    [{ sessionId, thoughtNumber: 1 }, 400],
    [{ sessionId, thoughtNumber: 1, comment: "x".repeat(4_001) }, 400],
    [{ sessionId, thoughtNumber: 9, star: true }, 404],
    [{ sessionId: "00000000-0000-4000-8000-000000000000", thoughtNumber: 1, star: true }, 404],
    [{ sessionId, thoughtNumber: 1, comment: "x".repeat(70_000) }, 413],
  ];
  for (const [body, status] of wrong)
    expect((await post(observatory, body)).status, JSON.stringify(body).slice(0, 80)).toBe(status);
});

test("a shared session contains comments and stars, with secrets masked", async () => {
  const observatory = await openObservatory();
  const sessionId = await think(observatory);
  const token = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");
  await observatory.call("remark", { sessionId, thoughtNumber: 1, star: true });
  await observatory.call("remark", { sessionId, thoughtNumber: 1, comment: `Ask Ada, not ${token}` });
  const { remarks } = await observatory.json(`/api/sessions/${sessionId}/share`);
  expect(remarks).toMatchObject([
    {
      thoughtNumber: 1,
      starredAt: expect.any(String),
      comments: [{ text: expect.stringContaining("Ask Ada") }],
    },
  ]);
  expect(JSON.stringify(remarks)).not.toContain(token);
});
