import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/ports/store.ts";
import { restoreDump } from "../../../src/storage/dump/restore-dump.ts";
import { type DumpSource, writeDump } from "../../../src/storage/dump/write-dump.ts";
import { sessionDraft, startSession, think } from "../../support/ledger.ts";
import { noon, oneOfEachAdapter, openStore } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

const clock = () => new Date(noon);
const path = () => join(tempDir(), "all.jsonl");
const idsOf = async ({ ledger }: Store) => {
  const page = { tagMode: "all", limit: 50, offset: 0, sortBy: "createdAt", sortOrder: "asc" } as const;
  return (await ledger.listSessions(page)).sessions.map(({ id }) => id);
};

describe.each(oneOfEachAdapter)("sessions moved from %s", (backend) => {
  test("keep the conversations that they belong to and the writer of each thought", async () => {
    const [source, target] = [openStore(backend), openStore(backend)];
    const key = { principal: "", project: "shop", client: "codex", conversation: "one" };
    const session = sessionDraft({ project: "shop" });
    const append = (thought: string, toolUse: string | undefined) =>
      source.ledger.append({
        draft: { sessionId: session.id, thought, nextThoughtNeeded: true },
        timestamp: noon,
        salt: thought,
        ...(thought === "first" && { opens: { session } }),
        origin: { ...key, toolUse },
      });
    await append("first", "toolu_1");
    await append("second", undefined);
    await think(source.ledger, session.id, { thought: "by nobody that is named" });
    const other = await startSession(source.ledger, { project: "shop" });
    await source.conversations.bind({ ...key, conversation: "two" }, other, noon);

    const [first, second] = [path(), path()];
    await writeDump(source, first, clock);
    for (const _ of ["first", "again"])
      expect(await restoreDump(target, first)).toMatchObject({ badLines: [] });
    expect(await target.conversations.find(key)).toEqual({ sessionId: session.id, at: noon });
    expect(await target.conversations.find({ ...key, conversation: "two" })).toMatchObject({
      sessionId: other,
    });
    const writers = await source.conversations.listWriters(session.id, "");
    expect(writers).toHaveLength(2);
    expect(await target.conversations.listWriters(session.id, "")).toEqual(writers);
    const origins = await source.conversations.listOrigins(0, 10);
    expect(origins.map(({ position, toolUse }) => ({ position, toolUse }))).toEqual([
      { position: 1, toolUse: "toolu_1" },
      { position: 2, toolUse: undefined },
    ]);
    const withoutNumbers = origins.map(({ seq: _seq, ...origin }) => origin);
    expect(await target.conversations.listOrigins(0, 10)).toMatchObject(withoutNumbers);

    await target.conversations.bind(key, other, "2026-11-16T12:00:00.000Z");
    await restoreDump(target, first);
    expect(await target.conversations.find(key), "the target keeps its newer binding").toMatchObject({
      sessionId: other,
    });
    await writeDump(target, second, clock);
  });

  test("are complete even if one is restored from the trash while the dump is written", async () => {
    const [source, target] = [openStore(backend), openStore(backend)];
    const [live, trashed] = [await startSession(source.ledger), await startSession(source.ledger)];
    await think(source.ledger, trashed, { thought: "from the trash" });
    await source.ledger.deleteSession(trashed, noon);
    const busy: DumpSource = {
      ...source,
      ledger: {
        ...source.ledger,
        async listTrash(page) {
          await source.ledger.restoreSession(trashed, noon).catch(() => {});
          return source.ledger.listTrash(page);
        },
      },
    };
    const file = path();
    expect(await writeDump(busy, file, clock)).toMatchObject({ sessions: 2, thoughts: 1 });
    expect(await restoreDump(target, file)).toMatchObject({ badLines: [], imported: 2 });
    expect((await idsOf(target)).sort()).toEqual([live, trashed].sort());
  });

  test("are complete even if one is restored from the trash after the dump has listed it", async () => {
    const [source, target] = [openStore(backend), openStore(backend)];
    const trashed = await startSession(source.ledger);
    await source.ledger.deleteSession(trashed, noon);
    const busy: DumpSource = {
      ...source,
      trash: {
        ...source.trash,
        async readTrashedSession(id) {
          await source.ledger.restoreSession(trashed, noon).catch(() => {});
          return source.trash.readTrashedSession(id);
        },
      },
    };
    const file = path();
    expect(await writeDump(busy, file, clock)).toMatchObject({ sessions: 1 });
    await restoreDump(target, file);
    expect(await idsOf(target)).toEqual([trashed]);
  });
});
