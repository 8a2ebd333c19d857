import { describe, expect, test } from "vitest";
import { statusOf } from "../../../src/domain/notebook/cell-status.ts";
import type { RunResult } from "../../../src/ports/notebook/cell-runner.ts";
import { openStore, storeNames } from "../../support/stores/stores.ts";

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const [notebookId, cellId, otherId] = [id(1), id(2), id(3)];

const completed = (output: string): RunResult => ({
  ...{ status: "completed", output, truncated: false, displays: [] },
  ...{ exitCode: 0, durationMs: 1, sandbox: "strong" },
});

describe.each(storeNames)("runs of a cell on %s", (backend) => {
  test("are listed newest first with their versions, and a run that never ended counts as failed", async () => {
    const { notebooks } = openStore(backend);
    const cells = [cellId, otherId].map((cell) => ({
      ...{ type: "code" as const, filename: `${cell}.js`, source: "1", id: cell, version: 1 },
    }));
    const draft = { id: notebookId, project: "p", language: "javascript" as const, net: false, cells, at: 1 };
    await notebooks.createNotebook(draft, undefined);
    const begin = (cell: string, version: number, at: number) =>
      notebooks.beginRun({ notebookId, cellId: cell, version, at, expiresAt: at + 5 });
    for (const [cell, version, at] of [
      [cellId, 1, 10],
      [otherId, 1, 20],
      [cellId, 2, 30],
    ] as const) {
      const run = await begin(cell, version, at);
      await notebooks.endRun(run ?? 0, completed(`at ${at}`), at + 1, { isEvidence: false });
    }
    await begin(cellId, 2, 40);
    const runs = await notebooks.listRuns(notebookId, cellId, 10);
    expect(
      runs.map(({ version, startedAt, status, result }) => [version, startedAt, status, result?.output]),
    ).toEqual([
      [2, 40, "failed", undefined],
      [2, 30, "completed", "at 30"],
      [1, 10, "completed", "at 10"],
    ]);
    expect(await notebooks.listRuns(notebookId, cellId, 1)).toHaveLength(1);
    expect(await notebooks.listRuns(id(9), cellId, 10)).toEqual([]);
    expect((await notebooks.readHistory(notebookId, cellId)).map(({ version, at }) => [version, at])).toEqual(
      [[1, 1]],
    );
  });

  test("a queue marks its cells until they start, or until it is left or expires", async () => {
    let now = 1_000;
    const { notebooks } = openStore(backend, { clock: () => new Date(now) });
    const [first, second, third] = [id(2), id(3), id(4)];
    const cells = [first, second, third].map((cell) => ({
      ...{ type: "code" as const, filename: `${cell}.js`, source: "1", id: cell, version: 1 },
    }));
    const draft = { id: notebookId, project: "p", language: "javascript" as const, net: false, cells, at: 1 };
    await notebooks.createNotebook(draft, undefined);
    const statuses = async () => {
      const notebook = await notebooks.readNotebook("p", notebookId);
      return notebook?.cells.map((cell) => statusOf(cell, notebook));
    };
    const join = (queued: string[]) =>
      notebooks.joinQueue({ notebookId, cells: queued, at: now, expiresAt: now + 100 });
    const begin = (cell: string, queue?: { id: number; cells: string[] }) =>
      notebooks.beginRun({ notebookId, cellId: cell, version: 1, at: now, expiresAt: now + 500, queue });

    const queue = (await join([first, second, third])) ?? 0;
    expect(await statuses()).toEqual(["queued", "queued", "queued"]);
    const run = await begin(first, { id: queue, cells: [second, third] });
    expect(await statuses()).toEqual(["running", "queued", "queued"]);
    expect(await begin(second, { id: queue, cells: [third] })).toBeUndefined();
    expect(await statuses()).toEqual(["running", "queued", "queued"]);

    const other = (await join([third])) ?? 0;
    await notebooks.endRun(run ?? 0, completed("1"), now, { isEvidence: false });
    await notebooks.leaveQueue(queue);
    expect(await statuses()).toEqual(["completed", "idle", "queued"]);
    now += 90;
    await notebooks.renewQueue(other, now + 100);
    now += 90;
    expect(await statuses()).toEqual(["completed", "idle", "queued"]);
    now += 11;
    expect(await statuses()).toEqual(["completed", "idle", "idle"]);

    await join([first]);
    await notebooks.renewQueue(other, now + 100);
    expect(await statuses(), "the expired queue was deleted").toEqual(["queued", "idle", "idle"]);
    expect(
      await notebooks.joinQueue({ notebookId: id(9), cells: [], at: now, expiresAt: now }),
    ).toBeUndefined();
  });
});
