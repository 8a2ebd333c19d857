import { describe, expect, test } from "vitest";
import { type Note, revisionOf } from "../../../src/domain/knowledge/note.ts";
import { refusalOf } from "../../support/ledger.ts";
import { openStore, storeNames } from "../../support/stores/stores.ts";

const day = (n: number) => `2026-11-0${n}T12:00:00.000Z`;
const note = (content: string, at: string, id = "pool"): Note => ({
  ...{ kind: "pattern", id, title: "Check the pool", description: "Before tuning.", tags: ["pool"], content },
  ...{ derivedFromSessions: [], createdAt: at, updatedAt: at },
});
const once = { key: "k", fingerprint: "f" };

describe.each(storeNames)("notes in the knowledge zone of %s", (backend) => {
  test("are created only under a free ID, and a repeated call returns the first note", async () => {
    const { knowledge } = openStore(backend);
    const first = note("one", day(1));
    expect(await knowledge.createNote("p", first, once)).toEqual(first);
    expect(await knowledge.createNote("p", note("two", day(2)), undefined)).toBeUndefined();
    expect(await knowledge.createNote("p", note("two", day(2), "other"), once)).toEqual(first);
    const reused = knowledge.createNote("p", note("two", day(2), "other"), { ...once, fingerprint: "g" });
    expect((await refusalOf(reused)).reason).toBe("key_reused");
    expect(await knowledge.readNote("p", "pattern", "other")).toBeUndefined();
    expect(await knowledge.createNote("q", first, once)).toEqual(first);
    await knowledge.deleteNote("q", "pattern", "pool", day(2));
    const gone = knowledge.createNote("q", first, once);
    expect((await refusalOf(gone)).reason).toBe("result_of_key_deleted");
  });

  test("keep the time of their creation, and are replaced only if they have the expected revision", async () => {
    const { knowledge } = openStore(backend);
    expect(await knowledge.putNote("p", note("one", day(1)))).toEqual(note("one", day(1)));
    const second = { ...note("two", day(2)), createdAt: day(1) };
    expect(await knowledge.putNote("p", note("two", day(2)))).toEqual(second);
    const stale = revisionOf(note("one", day(1)));
    expect(await knowledge.replaceNote("p", note("three", day(3)), stale)).toBeUndefined();
    expect(await knowledge.readNote("p", "pattern", "pool")).toEqual(second);
    const third = { ...note("three", day(3)), createdAt: day(1) };
    expect(await knowledge.replaceNote("p", note("three", day(3)), revisionOf(second))).toEqual(third);
    expect(await knowledge.readNote("p", "pattern", "pool")).toEqual(third);
    expect(await knowledge.replaceNote("p", note("x", day(3), "none"), revisionOf(third))).toBeUndefined();
  });

  test("are changed from their current state, also by several callers at once", async () => {
    const { knowledge } = openStore(backend);
    const key = { kind: "pattern", id: "pool" } as const;
    const append = (word: string) =>
      knowledge.changeNote("p", key, (there) => ({ ...there, content: there.content + word }));
    expect(await append("none")).toBeUndefined();
    await knowledge.putNote("p", note("0", day(1)));
    await Promise.all(["1", "2", "3"].map(append));
    expect((await knowledge.readNote("p", "pattern", "pool"))?.content).toBe("0123");
  });

  test("are restored as they last were, unless their ID is in use again", async () => {
    const { knowledge, trash } = openStore(backend);
    for (const [n, content] of ["one", "two"].entries())
      await knowledge.putNote("p", note(content, day(n + 1)));
    expect(await knowledge.restoreNote("p", "pattern", "pool")).toBeUndefined();
    expect(await knowledge.deleteNote("p", "pattern", "pool", day(3))).toBe(true);
    expect(await knowledge.deleteNote("p", "pattern", "pool", day(3))).toBe(false);
    const trashed = { project: "p", note: note("three", day(3)), deletedAt: day(3) };
    expect(await trash.addTrashedNote(trashed)).toBe(false);
    const last = { ...note("two", day(2)), createdAt: day(1) };
    expect(await knowledge.restoreNote("p", "pattern", "pool")).toEqual(last);
    expect(await knowledge.readNote("p", "pattern", "pool")).toEqual(last);

    expect(await trash.addTrashedNote({ ...trashed, note: note("three", day(3), "moved") })).toBe(true);
    expect(await knowledge.readNote("p", "pattern", "moved")).toBeUndefined();
    expect((await knowledge.createNote("p", note("new", day(4), "moved"), undefined))?.content).toBe("new");
    expect(await knowledge.restoreNote("p", "pattern", "moved")).toBeUndefined();
  });
});
