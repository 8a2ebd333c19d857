import { expect, test } from "vitest";
import { findWords, startSession, think } from "../../support/ledger.ts";
import { noon, openStore, storeNames } from "../../support/stores/stores.ts";

test.each(storeNames)("the numbers of erased thoughts are not reused, in %s", async (backend) => {
  const { ledger, trash } = openStore(backend);
  const kept = await startSession(ledger);
  const gone = await startSession(ledger);
  const { entry: erased } = await think(ledger, gone);
  await ledger.deleteSession(gone, noon);
  await trash.emptyTrash();
  expect((await think(ledger, kept)).entry.seq).toBeGreaterThan(erased.seq);
});

test.each(storeNames)(
  "sessions that were updated in the same minute are listed in order, in %s",
  async (backend) => {
    const { ledger } = openStore(backend);
    const at = (time: string) => `2026-11-15T${time}.000Z`;
    const times = ["12:09:59", "12:00:01", "12:10:00", "12:00:03", "12:00:02", "11:59:59"];
    for (const time of times) {
      const id = await startSession(ledger, { title: time, createdAt: at("11:00:00") });
      await think(ledger, id, { timestamp: at(time) });
    }
    for (const project of ["_default", undefined]) {
      const list = async (sortOrder: "asc" | "desc", offset = 0) => {
        const query = { project, tagMode: "all", limit: 4, offset, sortBy: "updatedAt", sortOrder } as const;
        return (await ledger.listSessions(query)).sessions.map(({ title }) => title);
      };
      const sorted = times.toSorted();
      expect(await list("asc")).toEqual(sorted.slice(0, 4));
      expect(await list("desc")).toEqual(sorted.toReversed().slice(0, 4));
      expect(await list("desc", 4)).toEqual(sorted.toReversed().slice(4));
    }
  },
);

test.each(storeNames)("thoughts of a type are found as soon as they are recorded, in %s", async (backend) => {
  const { ledger } = openStore(backend);
  const id = await startSession(ledger);
  await think(ledger, id, { thought: "plain" });
  for (const body of ["one", "two"]) {
    await think(ledger, id, {
      thought: `S1|H|${body}`,
      cipher: [{ number: 1, type: "H", references: [] }],
    });
    const { hits } = await ledger.search({
      ...{ type: "H", order: "newest", limit: 5, offset: 0, hideSecrets: (text) => text },
    });
    expect(hits[0]?.snippet).toContain(body);
  }
  expect((await findWords(ledger, "plain")).hits).toHaveLength(1);
});
