import { expect, test } from "vitest";
import type { FileAnswer } from "../../wire-files.ts";
import { findHunks } from "./find-hunks.ts";

const writer = (n: number) => ({
  n,
  sessionId: "s",
  thought: `s:${n}`,
  at: "2026-03-02T10:00:00.000Z",
  agent: "claude-code",
  how: "sure" as const,
});
const commit = (sha: string) => ({ sha, subject: sha, author: "Ada", at: "2026-03-02T10:00:00.000Z" });

const page = (runs: FileAnswer["runs"], removed: FileAnswer["removed"] = []): FileAnswer => ({
  file: "a.ts",
  total: runs.at(-1)?.to ?? 0,
  chars: 0,
  runs,
  removed,
  writers: [writer(1), writer(2)],
  commits: [commit("new"), commit("old")],
});
const shown = (answer: FileAnswer, texts: string[]) =>
  findHunks([answer], new Set(["new"]), texts).map(({ from, to, added, lines }) => ({
    from,
    to,
    added,
    lines: lines.map(({ old, now, isSame, text }) => `${old ?? ""}|${now ?? ""}|${isSame ? "=" : ""}${text}`),
  }));

test("groups the lines of one edit into one hunk, with a few unchanged lines in between", () => {
  const runs = [
    { from: 1, to: 1, writer: 1, commit: "new" },
    { from: 2, to: 3, commit: "old" },
    { from: 4, to: 4, writer: 1, commit: "new" },
    { from: 5, to: 5, writer: 2, commit: "new" },
    { from: 6, to: 8, commit: "old" },
    { from: 9, to: 9, writer: 2, commit: "new" },
  ];
  const texts = [..."abcdefghi"];
  expect(shown(page(runs), texts)).toEqual([
    { from: 1, to: 4, added: 2, lines: ["|1|a", "|2|=b", "|3|=c", "|4|d"] },
    { from: 5, to: 5, added: 1, lines: ["|5|e"] },
    { from: 9, to: 9, added: 1, lines: ["|9|i"] },
  ]);
});

test("shows removed lines before the line that follows them, also at the end of the file", () => {
  const runs = [
    { from: 1, to: 1, commit: "old" },
    { from: 2, to: 2, writer: 1, commit: "new" },
    { from: 3, to: 3, commit: "old" },
  ];
  const removed = [
    { before: 2, from: 2, text: "x\ny" },
    { before: 3, from: 4, text: "z" },
    { before: 4, from: 6, text: "end" },
  ];
  expect(shown(page(runs, removed), ["a", "b", "c"])).toEqual([
    { from: 2, to: 2, added: 1, lines: ["2||x", "3||y", "|2|b"] },
    { from: 3, to: 2, added: 0, lines: ["4||z"] },
    { from: 4, to: 3, added: 0, lines: ["6||end"] },
  ]);
});
