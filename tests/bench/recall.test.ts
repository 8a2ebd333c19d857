import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readEvidence, readTime } from "../../bench/recall/dialogue.ts";
import { createAddressBook, judge, summarise } from "../../bench/recall/judge.ts";
import { loadData } from "../../bench/recall/load-data.ts";
import { sessionIdOf } from "../../bench/recall/to-export.ts";
import { tempDir } from "../support/temp-dir.ts";

function written(name: string, data: unknown): string {
  const path = join(tempDir(), name);
  writeFileSync(path, JSON.stringify(data));
  return path;
}

const turn = (dia_id: string, text: string, more: object = {}) => ({ speaker: "Ann", dia_id, text, ...more });

describe("reading data with known answers", () => {
  test("reads LoCoMo's format", () => {
    const sample = {
      sample_id: "conv-1",
      conversation: {
        speaker_a: "Ann",
        session_1: [turn("D1:1", "Hello"), turn("D1:2", "", { blip_caption: "a red canoe" })],
        session_1_date_time: "1:56 pm on 8 May, 2023",
        session_2: [turn("D2:1", "We sold it")],
        session_2_date_time: "9:05 am on 1 June, 2023",
        session_3: "missing",
      },
      qa: [
        { question: "What did they show?", answer: "a canoe", evidence: ["D1:2"], category: 4 },
        { question: "And both?", evidence: ["D1:2; D2:1"], category: 1 },
        { question: "No evidence", evidence: [], category: 5 },
        { question: "Gone", evidence: ["D9:9"], category: 5 },
      ],
    };
    const { conversations } = loadData(written("locomo10.json", [sample]));
    expect(conversations).toEqual([
      {
        sessions: [
          {
            key: "conv-1/session_1",
            created: "2023-05-08T13:56:00.000Z",
            thoughts: [
              { key: "conv-1/D1:1", text: "Ann: Hello", at: "2023-05-08T13:56:00.000Z" },
              { key: "conv-1/D1:2", text: "Ann: [a red canoe]", at: "2023-05-08T13:56:00.000Z" },
            ],
          },
          {
            key: "conv-1/session_2",
            created: "2023-06-01T09:05:00.000Z",
            thoughts: [{ key: "conv-1/D2:1", text: "Ann: We sold it", at: "2023-06-01T09:05:00.000Z" }],
          },
        ],
        questions: [
          {
            text: "What did they show?",
            category: "4",
            thoughts: ["conv-1/D1:2"],
            sessions: ["conv-1/session_1"],
          },
          {
            text: "And both?",
            category: "1",
            thoughts: ["conv-1/D1:2", "conv-1/D2:1"],
            sessions: ["conv-1/session_1", "conv-1/session_2"],
          },
        ],
      },
    ]);
  });

  test("reads a folder in REALTALK's format and finds the session that contains the turn", () => {
    const folder = join(tempDir(), "chats");
    mkdirSync(folder);
    const said = { speaker: "Emi", date_time: "29.12.2023, 21:45:30" };
    const chat = {
      name: { speaker_1: "Emi" },
      session_1: [{ ...said, dia_id: "D1:1", clean_text: "Hi" }],
      session_2: [{ ...said, dia_id: "D1:7", clean_text: "The exam went well" }],
      qa: [{ question: "How was the exam?", evidence: ["D1:7"], category: 2 }],
    };
    writeFileSync(join(folder, "Chat_1.json"), JSON.stringify(chat));
    const [conversation] = loadData(folder).conversations;
    expect(conversation?.questions).toEqual([
      { text: "How was the exam?", category: "2", thoughts: ["Chat_1/D1:7"], sessions: ["Chat_1/session_2"] },
    ]);
    expect(conversation?.sessions[1]?.created).toBe("2023-12-29T21:45:30.000Z");
  });

  test("reads a repository whose commits name their checkpoints", () => {
    const repository = join(tempDir(), "repository");
    const git = (...args: string[]) =>
      execFileSync(
        "git",
        ["-c", "user.name=A", "-c", "user.email=a@example.org", "-C", repository, ...args],
        {
          encoding: "utf8",
        },
      );
    const keep = (checkpoint: string, session: string, lines: readonly (object | string)[]) => {
      const folder = join(repository, checkpoint.slice(0, 2), checkpoint.slice(2), "0");
      mkdirSync(folder, { recursive: true });
      const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
      writeFileSync(join(folder, "full.jsonl"), texts.join("\n"));
      writeFileSync(join(folder, "metadata.json"), JSON.stringify({ session_id: session }));
    };
    mkdirSync(repository);
    git("init", "-q", "-b", "main");
    const commit = (subject: string, checkpoint: string) =>
      git("commit", "-q", "--allow-empty", "-m", `${subject}\n\nEntire-Checkpoint: ${checkpoint}`);
    commit("Keep the pool warm", "abcdef012345");
    commit("Keep it warmer", "abcdef012346");
    commit("Ask Codex", "cd0000000001");
    commit("Lost", "ef0000000001");
    git("commit", "-q", "--allow-empty", "-m", "Nothing recorded");
    git("checkout", "-q", "--orphan", "entire/checkpoints/v1");
    const at = (minute: number) => ({ timestamp: `2025-03-01T10:0${minute}:00Z` });
    const first = [
      { type: "user", uuid: "1", ...at(0), message: { content: "why is the pool cold?" } },
      {
        type: "assistant",
        uuid: "2",
        ...at(1),
        message: {
          content: [
            { type: "thinking", thinking: "perhaps it closes early" },
            { type: "text", text: "no idle time" },
            { type: "tool_use", input: { command: "ls" } },
          ],
        },
      },
      { type: "summary", summary: "not said" },
    ];
    keep("abcdef012345", "claude", [...first, "broken"]);
    const result = [{ type: "tool_result", content: [{ type: "text", text: "printed" }] }];
    keep("abcdef012346", "claude", [
      ...first,
      { type: "user", uuid: "3", ...at(2), message: { content: result } },
      { type: "user", uuid: "4", ...at(3), message: { content: "warmer" } },
    ]);
    const item = (payload: object, minute: number) => ({ type: "response_item", ...at(minute), payload });
    keep("cd0000000001", "codex", [
      { type: "session_meta", payload: { id: "codex" } },
      item({ type: "message", role: "developer", content: [{ type: "input_text", text: "rules" }] }, 0),
      item({ type: "message", role: "user", content: [{ type: "input_text", text: "fix the cache" }] }, 1),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: "it never expires" }] }, 2),
      item({ type: "function_call", name: "shell", arguments: "{}" }, 3),
      item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] }, 4),
    ]);
    keep("ef0000000001", "lost", [{ type: "user", ...at(0), message: { content: "this is gone" } }]);
    git("add", ".");
    git("commit", "-q", "-m", "Checkpoint");
    const blob = git("rev-parse", "HEAD:ef/0000000001/0/full.jsonl").trim();
    rmSync(join(repository, ".git", "objects", blob.slice(0, 2), blob.slice(2)));

    const script = join(import.meta.dirname, "..", "..", "bench", "recall", "from-git.mjs");
    const made = execFileSync(process.execPath, [script, repository], { encoding: "utf8", stdio: "pipe" });
    const [conversation] = loadData(written("set.json", JSON.parse(made))).conversations;
    const asked = { category: "commit", thoughts: [] };
    expect(conversation?.questions).toEqual([
      { text: "Ask Codex", ...asked, sessions: ["codex"] },
      { text: "Keep it warmer", ...asked, sessions: ["claude"] },
      { text: "Keep the pool warm", ...asked, sessions: ["claude"] },
    ]);
    expect(
      conversation?.sessions.map(({ key, thoughts }) => [key, ...thoughts.map(({ text }) => text)]),
    ).toEqual([
      ["claude", "why is the pool cold?", "perhaps it closes early", "no idle time", "warmer"],
      ["codex", "fix the cache", "it never expires", "done"],
    ]);
  });

  test.each([
    ["a different format", { hello: 1 }],
    ["data without questions", [{ conversation: {} }]],
  ])("refuses %s", (_what, data) => {
    expect(() => loadData(written("data.json", data))).toThrow();
  });

  test("reads times and evidence in every notation of the data", () => {
    expect(readTime("12:05 am on 1 January, 2024")).toBe("2024-01-01T00:05:00.000Z");
    expect([readTime("2024-02-03"), readTime("yesterday")]).toEqual(["2024-02-03T00:00:00.000Z", undefined]);
    expect(readEvidence(["D1:3", "D2:4; D3:5", "D", 7])).toEqual(["D1:3", "D2:4", "D3:5"]);
  });
});

test("ranks a session by its first hit and a thought by its own", () => {
  const thoughts = [1, 2].map((n) => ({ key: `a:${n}`, text: "x", at: "2024-01-01T00:00:00.000Z" }));
  const book = createAddressBook([{ key: "a", created: "2024-01-01T00:00:00.000Z", thoughts }]);
  const question = { text: "?", category: "1", thoughts: ["a:1", "a:2"], sessions: ["a"] };
  const [right, wrong] = ["a", "b"].map(sessionIdOf);
  const hit = (sessionId: string | undefined, thoughtNumber: number) => ({
    ...(sessionId && { sessionId }),
    thought: { thoughtNumber },
  });
  const judged = [
    judge(question, [hit(wrong, 1), hit(wrong, 2), hit(wrong, 3), hit(right, 2)], book),
    judge(question, [hit(right, 1), hit(right, 2)], book),
    judge(question, [], book),
  ];
  const third = (sum: number) => expect.closeTo(sum / 3, 5);
  expect(summarise(judged)).toEqual({
    ...{
      questions: 3,
      hit1: third(1),
      hit5: third(2),
      mrr: third(1.5),
      sessions: third(2),
      thoughts: third(1.5),
    },
  });
});
