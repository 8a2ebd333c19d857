import { expect, test } from "vitest";
import { openObservatory } from "../observatory/server/observatory.testing.ts";
import { expectShortPieces, type Piece, takeLongest } from "../support/processor-time/longest-piece.ts";

const thoughtCount = 12;
/**
 * A conclusion of maximum length, full of secrets. The beginning of the text is kept for the story of its
 * session.
 */
const thought = `S1|C|${"password=hunter2hunter ".repeat(45_000)}`;

test("the Observatory reads and masks long thoughts in short steps", async () => {
  const { call, url, look } = await openObservatory();
  const { sessionId } = await call("start_new", { sessionTitle: "Long thoughts" });
  for (let n = 0; n < thoughtCount; n += 1) await call("thought", { sessionId, thought });
  const pieces: Piece[] = [];
  for (const path of ["", "/thoughts?from=1&to=500", "/thoughts/1", "/share"])
    pieces.push(
      await takeLongest(`GET ${path}`, async () => {
        const answer = await fetch(`${url}/api/sessions/${sessionId}${path}`);
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
      }),
    );
  const list = () => fetch(`${url}/api/sessions`).then((answer) => answer.arrayBuffer());
  pieces.push(await takeLongest("the list", list));
  pieces.push(
    await takeLongest("a snapshot", async () => {
      const viewer = await look();
      viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
      const { data } = await viewer.event("session:snapshot");
      expect(data.thoughts).toHaveLength(thoughtCount);
      viewer.socket.close();
      await viewer.closed;
    }),
  );
  expectShortPieces(pieces);
});

test("a HEAD request for a shared session has no body", async () => {
  const { call, url } = await openObservatory();
  const { sessionId } = await call("start_new", {});
  await call("thought", { sessionId, thought: "one" });
  const answer = await fetch(`${url}/api/sessions/${sessionId}/share`, { method: "HEAD" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(await answer.text()).toBe("");
});
