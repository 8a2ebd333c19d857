import { describe, expect, test } from "vitest";
import { statusOf } from "../../../src/domain/notebook/cell-status.ts";
import type { RunResult } from "../../../src/ports/notebook/cell-runner.ts";
import { oneOfEachAdapter, openStore, type StoreName } from "../../support/stores/stores.ts";

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const notebookId = id(1);
const cellId = id(2);

async function openWithRuns(backend: StoreName, count: number, isEvidence: (n: number) => boolean) {
  const store = openStore(backend, { clock: () => new Date(5_000) });
  const cells = [{ type: "code" as const, filename: "a.js", source: "1", id: cellId, version: 1 }];
  const about = { id: notebookId, project: "p", language: "javascript" as const, net: false, cells, at: 1 };
  await store.notebooks.createNotebook(about, undefined);
  for (let n = 1; n <= count; n += 1) {
    const run = { notebookId, cellId, version: 1, at: n * 10, expiresAt: n * 10 + 5 };
    const runId = await store.notebooks.beginRun(run);
    const result: RunResult = {
      status: "completed",
      output: `run ${n}`,
      truncated: false,
      displays: [],
      exitCode: 0,
      durationMs: 1,
      sandbox: "strong",
    };
    await store.notebooks.endRun(runId ?? 0, result, n * 10 + 1, { isEvidence: isEvidence(n) });
  }
  const kept: number[] = [];
  for (let n = 1; n <= count; n += 1)
    if (await store.notebooks.readRun(notebookId, cellId, n * 10)) kept.push(n);
  return { kept, store };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe.each(oneOfEachAdapter)("stored runs of a cell on %s", (backend) => {
  test("a run is running while its process renews it, and interrupted once it expires", async () => {
    let now = 1_000;
    const store = openStore(backend, { clock: () => new Date(now) });
    const cells = [{ type: "code" as const, filename: "a.js", source: "1", id: cellId, version: 1 }];
    const about = { id: notebookId, project: "p", language: "javascript" as const, net: false, cells, at: 1 };
    await store.notebooks.createNotebook(about, undefined);
    const run = { notebookId, cellId, version: 1, at: now, expiresAt: now + 100 };
    const runId = await store.notebooks.beginRun(run);
    const status = async () => {
      const notebook = await store.notebooks.readNotebook("p", notebookId);
      return notebook?.cells.map((cell) => statusOf(cell, notebook));
    };
    now = 1_090;
    await store.notebooks.renewRun(runId ?? 0, now + 100);
    now = 1_150;
    expect(await status()).toEqual(["running"]);
    now = 1_191;
    expect(await status()).toEqual(["interrupted"]);
    expect(await store.notebooks.beginRun({ ...run, at: now, expiresAt: now + 100 })).toBeDefined();
    expect(await status()).toEqual(["running"]);
  });

  test("a cell keeps its newest twenty runs, and all runs recorded as evidence", async () => {
    const { kept, store } = await openWithRuns(backend, 45, (n) => n === 3 || n === 7);
    expect(kept).toEqual([3, 7, ...range(26, 45)]);
    const notebook = await store.notebooks.readNotebook("p", notebookId);
    expect(notebook?.runs.get(cellId)?.result?.output).toBe("run 45");
  });

  test("a dump contains the evidence and the latest run, the files only the latest run", async () => {
    const { store } = await openWithRuns(backend, 45, (n) => n === 3 || n === 7);
    const outputs = (runs: readonly { result?: { output: string } | undefined }[] = []) =>
      runs.map(({ result }) => result?.output);
    expect(outputs((await store.archive.readWhole(notebookId))?.runs)).toEqual(["run 3", "run 7", "run 45"]);
    expect(outputs((await store.archive.readLatest(notebookId))?.runs)).toEqual(["run 45"]);
  });
});
