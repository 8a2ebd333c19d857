import { describe, expect, test } from "vitest";
import { tempDir } from "../../support/temp-dir.ts";
import { openAgent, openObservatory, positionsSeen } from "./observatory.testing.ts";

const oneToOf = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

describe("a viewer of a session", () => {
  test("receives its past first, and then every thought as it is recorded", async () => {
    const { call, look } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Live" });
    await call("thought", { sessionId, thought: "S1|O|one" });
    await call("thought", { sessionId, thought: "S2|H|S1|two" });
    await call("thought", { sessionId, thought: "S3|E|S2|alt", branchFromThought: 2, branchId: "alt" });
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    const { data } = await viewer.event("session:snapshot");
    expect(data.page).toEqual({ from: 1, to: 3, total: 3, isLast: true });
    expect(data.session).toMatchObject({ id: sessionId, title: "Live", status: "active", thoughtCount: 3 });
    expect(data.thoughts).toMatchObject([
      { id: `${sessionId}:1`, thought: "S1|O|one", type: "O", position: 1, parentId: null, parent: 0 },
      { type: "H", parentId: `${sessionId}:1`, links: [{ relation: "rests_on", to: 1 }] },
    ]);
    expect(data.branches["alt"]).toMatchObject({
      id: "alt",
      fromThoughtNumber: 2,
      thoughts: [{ id: `${sessionId}:alt:3`, parent: 2, branchId: "alt" }],
    });

    await call("thought", { sessionId, thought: "three" });
    await call("thought", { sessionId, thought: "instead", revisesThought: 2 });
    await call("thought", { sessionId, thought: "aside", branchFromThought: 1, branchId: "aside" });
    await call("thought", { sessionId, thought: "the end", nextThoughtNeeded: false });
    expect((await viewer.event("thought:added")).data).toMatchObject({
      thought: { thought: "three", position: 4, type: "N" },
      parentId: `${sessionId}:2`,
    });
    expect((await viewer.event("thought:revised")).data).toMatchObject({
      originalThoughtNumber: 2,
      thought: { revisesId: `${sessionId}:2`, revises: 2 },
    });
    expect((await viewer.event("thought:branched")).data).toMatchObject({
      branchId: "aside",
      fromThoughtNumber: 1,
      parentId: `${sessionId}:1`,
    });
    expect((await viewer.event("session:ended")).data).toEqual({ sessionId, finalThoughtCount: 7 });
    expect(positionsSeen(viewer.messages)).toEqual(oneToOf(7));
  });

  test("receives no more thoughts after it unsubscribes without naming a session", async () => {
    const { call, look } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Left" });
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    await viewer.event("session:snapshot");
    viewer.say({ action: "unsubscribe", channel: "reasoning" });
    viewer.say({ action: "subscribe", channel: "sessions" });
    await viewer.event("sessions:snapshot");
    await call("thought", { sessionId, thought: "unseen" });
    await viewer.event("session:updated");
    expect(viewer.messages.filter(({ event }) => event === "thought:added")).toEqual([]);
  });

  test("receives a thought once if it subscribed to all thoughts and to their session", async () => {
    const { call, look } = await openObservatory();
    const { sessionId } = await call("start_new", {});
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "reasoning" });
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    await viewer.event("session:snapshot");
    await call("thought", { sessionId, thought: "one" });
    await viewer.event("thought:added");
    viewer.say({ action: "unsubscribe", channel: "reasoning", sessionId });
    viewer.say({ action: "subscribe", channel: "sessions" });
    await viewer.event("sessions:snapshot");
    await call("thought", { sessionId, thought: "two" });
    await viewer.event("thought:added", 2);
    const added = viewer.messages.filter(({ event }) => event === "thought:added");
    expect(positionsSeen(added)).toEqual([1, 2]);
  });

  test("sees what another process records in the same data directory", async () => {
    const dataDir = tempDir();
    const { look } = await openObservatory({ dataDir });
    const other = openAgent(dataDir);
    const { sessionId } = await other.call("start_new", { sessionTitle: "Elsewhere" });
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "sessions" });
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    await viewer.event("session:snapshot");
    await other.call("thought", { sessionId, thought: "from elsewhere" });
    expect((await viewer.event("thought:added")).data.thought.thought).toBe("from elsewhere");
    const started = await other.call("start_new", { sessionTitle: "Another" });
    expect((await viewer.event("session:started")).data.session.id).toBe(started.sessionId);
  });

  test("receives every thought once, even if thoughts arrive while it receives the past", async () => {
    const { call, look } = await openObservatory();
    const { sessionId } = await call("start_new", {});
    const write = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, n) => call("thought", { sessionId, thought: `t${from + n}` })),
      );
    await write(0, 300);
    const viewers = await Promise.all(Array.from({ length: 5 }, look));
    const writing = write(300, 300);
    for (const viewer of viewers) viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    await writing;
    await call("thought", { sessionId, thought: "the end", nextThoughtNeeded: false });
    for (const viewer of viewers) {
      await viewer.until(() => positionsSeen(viewer.messages).includes(601));
      expect(positionsSeen(viewer.messages)).toEqual(oneToOf(601));
    }
  });

  test("continues where it was after the server restarts", async () => {
    const dataDir = tempDir();
    const first = await openObservatory({ dataDir });
    const { sessionId } = await first.call("start_new", {});
    for (const thought of ["one", "two"]) await first.call("thought", { sessionId, thought });
    const viewer = await first.look();
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    await viewer.event("session:snapshot");
    await first.service.stop();
    expect(await viewer.closed).toBe(1001);
    await first.call("thought", { sessionId, thought: "three" });
    await first.app.close();

    const second = await openObservatory({ dataDir });
    const again = await second.look();
    again.say({ action: "subscribe", channel: "reasoning", sessionId, after: 2 });
    const { data } = await again.event("session:snapshot");
    expect(data.page).toEqual({ from: 3, to: 3, total: 3, isLast: true });
    expect(data.thoughts).toMatchObject([{ thought: "three", parentId: `${sessionId}:2` }]);
  });

  test("starts again if it knows more than the store", async () => {
    const { call, look } = await openObservatory();
    const { sessionId } = await call("start_new", {});
    await call("thought", { sessionId, thought: "one" });
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId, after: 9 });
    expect((await viewer.event("session:snapshot")).data.page.from).toBe(1);
  });

  test("receives a long session without its texts, page by page", async () => {
    const { call, look, json } = await openObservatory();
    const { sessionId } = await call("start_new", {});
    const text = (n: number) =>
      n % 7 === 0 ? `S${n}|C|S${n - 1}|c${n}` : `S${n}|E|${n > 1 ? `S${n - 1}|` : ""}e${n}`;
    await Promise.all(
      oneToOf(2_300).map((n) => call("thought", { sessionId, thought: text(n), thoughtNumber: n })),
    );
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    const { data } = await viewer.event("session:snapshot", 3);
    expect(data.page).toEqual({ from: 2_001, to: 2_300, total: 2_300, isLast: true });
    expect(data.thoughts).toEqual([]);
    expect(data.skeleton?.type).toHaveLength(300);
    expect(data.skeleton?.links).toHaveLength(900);
    expect(positionsSeen(viewer.messages)).toEqual(oneToOf(2_300));
    const words = await json(`/api/sessions/${sessionId}/thoughts?from=2001&to=2003`);
    expect(words).toMatchObject({ from: 2_001, to: 2_003, total: 2_300 });
    expect(words.thoughts.map((thought: { thought: string }) => thought.thought)).toEqual(
      [2001, 2002, 2003].map(text),
    );
  });

  test("receives less than 200 bytes per thought of a long session, even with many references and branches", async () => {
    const { call, look } = await openObservatory({ env: { THOUGHTBOX_STORAGE: "memory" } });
    const { sessionId } = await call("start_new", {});
    const named = oneToOf(64).map((n) => `S${n}`);
    const write = (n: number, rest = {}) =>
      call("thought", { sessionId, thought: `S${n}|H|${named.join(",")}|all`, thoughtNumber: n, ...rest });
    await Promise.all(oneToOf(1_100).map((n) => write(n)));
    await Promise.all(
      oneToOf(1_000).map((n) =>
        write(1_100, { branchFromThought: 1_099, branchId: String(n).padStart(64, "b") }),
      ),
    );
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    const { data } = await viewer.event("session:snapshot", 3);
    expect(data.page).toMatchObject({ total: 2_100, isLast: true });
    const bytes = viewer.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes / 2_100).toBeLessThan(200);
    const links = viewer.messages.flatMap((message) =>
      message.event === "session:snapshot" ? (message.data.skeleton?.links ?? []) : [],
    );
    expect(links.length).toBeGreaterThan(3 * 2_000);
  });

  test("is notified that a session does not exist or is in the trash", async () => {
    const { call, look } = await openObservatory();
    const viewer = await look();
    const nobody = "00000000-0000-4000-8000-000000000000";
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId: nobody });
    expect((await viewer.event("session:gone")).data).toEqual({ sessionId: nobody, reason: "unknown" });
    const { sessionId } = await call("start_new", {});
    viewer.say({ action: "subscribe", channel: "reasoning", sessionId });
    await viewer.event("session:snapshot");
    await call("session.delete", { sessionId, confirm: true });
    expect((await viewer.event("session:gone", 2)).data).toEqual({ sessionId, reason: "deleted" });
  });
});

describe("a viewer of the list of sessions", () => {
  test("receives the sessions, and then those that start, change and end", async () => {
    const { call, look } = await openObservatory();
    const { sessionId } = await call("start_new", { sessionTitle: "Before" });
    await call("thought", { sessionId, thought: "S1|C|it is so" });
    const viewer = await look();
    viewer.say({ action: "subscribe", channel: "sessions" });
    const { data } = await viewer.event("sessions:snapshot");
    expect(data).toMatchObject({
      total: 1,
      sessions: [
        { id: sessionId, title: "Before", story: { fingerprint: "C", stands: { text: "S1|C|it is so" } } },
      ],
    });
    const { sessionId: second } = await call("start_new", { sessionTitle: "After" });
    await viewer.event("session:started");
    await call("thought", { sessionId: second, thought: "S1|Q|why?", nextThoughtNeeded: false });
    expect((await viewer.event("session:ended")).data).toEqual({ sessionId: second, finalThoughtCount: 1 });
    const updated = await viewer.until(() =>
      viewer.messages.find((message) => message.event === "session:updated" && message.sessionId === second),
    );
    expect(updated.data).toMatchObject({
      session: { thoughtCount: 1, status: "completed", story: { fingerprint: "Q" } },
    });
  });
});

describe("messages", () => {
  test.each([
    ["text that is not JSON", "subscribe", "Send JSON"],
    ["an unknown channel", '{"action":"subscribe","channel":"__proto__"}', "channel must be"],
    ["an unknown action", '{"action":"write","channel":"sessions"}', "action must be"],
    ["a bad id", '{"action":"subscribe","channel":"reasoning","sessionId":"../../etc"}', "sessionId must be"],
    ["a bad position", '{"action":"subscribe","channel":"reasoning","after":-1}', "after must be"],
  ])("%s is refused in one sentence", async (_, text, sentence) => {
    const { look } = await openObservatory();
    const viewer = await look();
    viewer.say(text);
    expect((await viewer.event("refused")).data.message).toContain(sentence);
  });

  test("ping is answered by pong", async () => {
    const { look } = await openObservatory();
    const viewer = await look();
    viewer.say("ping");
    expect(await viewer.until(() => viewer.texts[0])).toBe("pong");
  });

  test("a protocol ping is answered, and a viewer that reads no answers is disconnected", async () => {
    const { look } = await openObservatory();
    const [reader, other] = [await look(), await look()];
    const answered = new Promise((resolve) => reader.socket.on("pong", resolve));
    reader.socket.ping("still there?");
    expect(String(await answered)).toBe("still there?");

    other.socket.pause();
    const ping = Buffer.alloc(125);
    for (let sent = 0; sent < 150_000; sent += 1) {
      other.socket.ping(ping, true, () => {});
      if (sent % 1_000 === 0) await new Promise(setImmediate);
    }
    other.socket.resume();
    expect([1006, 1013]).toContain(await other.closed);
    reader.say("ping");
    expect(await reader.until(() => reader.texts[0])).toBe("pong");
  });

  test("a message over 64 KiB ends the connection", async () => {
    const { look } = await openObservatory();
    const viewer = await look();
    viewer.say("x".repeat(64 * 1024 + 1));
    expect(await viewer.closed).toBe(1009);
  });
});
