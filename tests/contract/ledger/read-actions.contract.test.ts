import { describe, expect, onTestFinished, test } from "vitest";
import type { KeptAction } from "../../../src/ports/actions.ts";
import { startSession } from "../../support/ledger.ts";
import { noon, storeKind, storeNames } from "../../support/stores/stores.ts";
import { tempDir } from "../../support/temp-dir.ts";

const reads: KeptAction = {
  ...{ type: "read", call: "one", part: 0, tool: "Read", at: noon, took: 4_000 },
  paths: ["/a/b.ts", "/a/c.ts"],
  after: { thoughtNumber: 2 },
};
const tests: KeptAction = {
  ...{ type: "command", call: "two", part: 0, tool: "Bash", at: noon, command: "npm test" },
  ...{ failed: true, exit: 1, tests: true, results: { failed: 2, passed: 29 }, took: 96_000 },
};
const edit: KeptAction = {
  ...{ type: "edit", change: "edit", call: "three", part: 0, tool: "Edit", at: noon },
  ...{ path: "/a/b.ts", lines: [], removed: [] },
};

describe.each(storeNames)("what agents did in %s", (backend) => {
  const open = () => {
    const store = storeKind(backend).open(tempDir(), () => new Date(noon));
    onTestFinished(() => store.close());
    return store;
  };

  test("is stored once and returned unchanged, and reading a file does not count as a change", async () => {
    const { ledger, actions } = open();
    const sessionId = await startSession(ledger);
    expect(await actions.record(sessionId, [reads, tests, edit])).toBe(3);
    expect(await actions.record(sessionId, [reads, tests, edit])).toBe(0);
    const stored = await actions.readOfSession(sessionId, { after: 0, limit: 10 });
    expect(stored.map(({ action }) => action)).toEqual([reads, tests, edit]);
    const changes = await actions.findChanges(undefined, { files: ["b.ts", "c.ts"], limit: 10 });
    expect(changes.map(({ action }) => action.call)).toEqual(["three"]);
    const recent = await actions.findChanges(undefined, { from: noon, to: noon, limit: 10 });
    expect(recent.map(({ action }) => action.call)).toEqual(["three"]);
  });

  test("is shown as running while its transcript shows it", async () => {
    const { captured } = open();
    const file = { root: "/r", path: "a.jsonl", bytes: 1, modifiedMs: 2, at: noon, sessionId: "s" };
    const running = { command: "npm test", at: noon };
    await captured.note({ ...file, running });
    expect(await captured.find("/r", "a.jsonl")).toEqual({ ...file, running });
    await captured.note(file);
    expect((await captured.list(10)).files).toEqual([file]);
  });
});
