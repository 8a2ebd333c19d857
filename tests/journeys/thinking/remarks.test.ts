import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Remark } from "../../../src/domain/ledger/remark.ts";
import type { Store } from "../../../src/ports/store.ts";
import { restoreDump } from "../../../src/storage/dump/restore-dump.ts";
import { surveyStore } from "../../../src/storage/dump/survey-store.ts";
import { writeDump } from "../../../src/storage/dump/write-dump.ts";
import { startSession, think } from "../../support/ledger.ts";
import { noon, storeKind } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { backends, createTestApp, startThinking } from "../../support/test-app.ts";

describe.each(backends)("a remark on a thought, in %s", (backend) => {
  test("reaches the agent that resumes the session, and changes no thought", async () => {
    const app = createTestApp({ backend });
    const person = app.modern();
    const sessionId = await startThinking(person);
    await person.call("thought", { sessionId, thought: "S1|H|The pool is too small" });
    await person.call("thought", { sessionId, thought: "S2|E|S1|40 workers share 10" });
    const before = await person.call("session.verify", { sessionId });
    expect(await person.call("remark", { sessionId, thoughtNumber: 2, star: true })).toMatchObject({
      thoughtNumber: 2,
      starredAt: expect.any(String),
      comments: [],
    });
    const said = await person.call("remark", { sessionId, thoughtNumber: 1, comment: "Since Monday only." });
    const agent = app.modern({ client: "codex" });
    const { remarks } = await agent.call("load_context", { sessionId });
    expect(remarks).toMatchObject([
      { thoughtNumber: 2, starredAt: expect.any(String) },
      { thoughtNumber: 1, comments: [{ text: "Since Monday only." }] },
    ]);
    const { remarks: read } = await agent.call("read_thoughts", { sessionId, thoughtNumber: 1 });
    expect(read).toMatchObject([{ thoughtNumber: 1, comments: [{ text: "Since Monday only." }] }]);
    expect(await person.call("session.verify", { sessionId })).toEqual(before);

    await person.call("remark", { sessionId, thoughtNumber: 2, star: false });
    await person.call("remark", { sessionId, thoughtNumber: 1, withdraw: said.comments[0].id });
    expect(await agent.call("load_context", { sessionId })).not.toHaveProperty("remarks");
  });

  test("is accepted only from people: an agent is refused", async () => {
    const app = createTestApp({ backend });
    const sessionId = await startThinking(app.modern());
    await app.modern().call("thought", { sessionId, thought: "one" });
    const reply = await app
      .modern({ client: "codex" })
      .reply("remark", { sessionId, thoughtNumber: 1, star: true });
    expect(reply).toMatchObject({ kind: "error", error: { code: "INVALID_OPERATION" } });
  });

  test("is recorded once if the same call is repeated with its key, and masks secrets", async () => {
    const person = createTestApp({ backend }).modern();
    const sessionId = await startThinking(person);
    await person.call("thought", { sessionId, thought: "one" });
    const token = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");
    const call = { sessionId, thoughtNumber: 1, comment: `Use ${token}`, idempotencyKey: "k1" };
    await person.call("remark", call);
    const { comments } = await person.call("remark", call);
    expect(comments).toHaveLength(1);
    expect(JSON.stringify(comments)).not.toContain(token);
  });

  test("appears in the Markdown and JSON exports, and only a person can import it elsewhere", async () => {
    const person = createTestApp({ backend }).modern();
    const sessionId = await startThinking(person);
    for (const thought of ["S1|H|The pool is too small", "S2|E|S1|40 workers share 10"])
      await person.call("thought", { sessionId, thought });
    await person.call("remark", { sessionId, thoughtNumber: 1, star: true });
    await person.call("remark", { sessionId, thoughtNumber: 2, comment: "Since Monday\n# only." });
    const { content } = await person.call("session.export", { sessionId, format: "markdown" });
    expect(content).toContain("### 1 · hypothesis · ★\n");
    expect(content).toMatch(/Comment, 20\S+Z:\n\n> Since Monday\n> # only\.\n/);

    const { export: exported } = await person.call("session.export", { sessionId });
    expect(exported.remarks).toMatchObject([{ kind: "star" }, { kind: "comment", thoughtNumber: 2 }]);
    const elsewhere = createTestApp({ backend });
    const agent = elsewhere.modern({ client: "codex" });
    const { warnings } = await agent.call("session.import", { content: exported });
    expect(warnings).toMatchObject([{ code: "REMARKS_LEFT_OUT" }]);
    expect(await agent.call("load_context", { sessionId })).not.toHaveProperty("remarks");
    const reader = elsewhere.modern();
    for (const round of ["first", "again"]) {
      await reader.call("session.import", { content: exported });
      const { remarks } = await reader.call("session.get", { sessionId });
      expect(remarks, round).toMatchObject([
        { thoughtNumber: 1, starredAt: expect.any(String), comments: [] },
        { thoughtNumber: 2, comments: [{ text: "Since Monday\n# only." }] },
      ]);
    }
  });

  test("moves with its session, and a second restore adds nothing", async () => {
    const clock = () => new Date(noon);
    const open = (): Store => {
      const store = storeKind(backend).open(tempDir(), clock);
      onTestFinished(() => store.close());
      return store;
    };
    const [source, target] = [open(), open()];
    const sessionId = await startSession(source.ledger);
    await think(source.ledger, sessionId);
    const star: Remark = { id: "r1", kind: "star", thoughtNumber: 1, at: noon };
    const comment: Remark = { ...star, id: "r2", kind: "comment", text: "Ask first." };
    await source.remarks.record(sessionId, [star, comment]);
    const path = join(tempDir(), "dump.jsonl");
    await writeDump(source, path, clock);
    for (const round of ["first", "again"])
      expect((await restoreDump(target, path)).badLines, round).toEqual([]);
    const moved = await target.remarks.readOfSession(sessionId, { after: 0, limit: 100 });
    expect(moved.map(({ remark }) => remark)).toEqual([star, comment]);
    expect((await surveyStore(target)).things).toEqual((await surveyStore(source)).things);
    await target.remarks.record(sessionId, [{ ...comment, id: "r3" }]);
    expect((await surveyStore(target)).things).not.toEqual((await surveyStore(source)).things);
  });
});
