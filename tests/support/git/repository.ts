import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestApp, TestClient } from "../test-app.ts";
import { claudeLine, claudeRoot, writeLines } from "../transcripts.ts";

/** Creates a repository beside the test's data. If this repository exists, the program is started there. */
export const repositoryOf = ({ dataDir }: Pick<TestApp, "dataDir">): string =>
  join(dataDir, "..", "repository");

export const startedIn = (dataDir: string): string | undefined => {
  const directory = repositoryOf({ dataDir });
  return existsSync(directory) ? directory : undefined;
};

const minuteMs = 60_000;
const start = Date.UTC(2026, 2, 2, 10);

/** Converts minutes after the start of the test's timeline to a time. */
export const at = (minute: number): string => new Date(start + minute * minuteMs).toISOString();

/**
 * Creates a repository and the sessions that wrote it. The repository ignores the git settings and signing
 * keys of the current user.
 */
export function createRepository(directory: string) {
  mkdirSync(directory, { recursive: true });
  const git = (words: readonly string[], minute = 0, committed = minute, author = "Ada") =>
    execFileSync("git", ["-c", "commit.gpgSign=false", "-c", "core.autocrlf=false", ...words], {
      cwd: directory,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: directory,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: author,
        GIT_AUTHOR_EMAIL: "ada@example.com",
        GIT_COMMITTER_NAME: author,
        GIT_COMMITTER_EMAIL: "ada@example.com",
        GIT_AUTHOR_DATE: at(minute),
        GIT_COMMITTER_DATE: at(committed),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  git(["init", "--quiet", "--initial-branch=main"]);
  return {
    directory,
    git,
    write(path: string, text: string) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    },
    remove: (path: string) => rmSync(join(directory, path)),
    commit(subject: string, minute: number, { committed = minute, author = "Ada" } = {}) {
      git(["add", "--all"], minute, committed, author);
      git(["commit", "--quiet", "--allow-empty", "-m", subject], minute, committed, author);
      return git(["rev-parse", "HEAD"]).trim();
    },
  };
}

type Told = { call?: string; asked?: string; thought?: string; minute: number; more?: object };

/** Writes a Claude Code transcript, line by line. */
export function createTranscript(app: Pick<TestApp, "dataDir">, id: string) {
  const lines: object[] = [];
  let last: string | null = null;
  const add = (type: "user" | "assistant", content: unknown, minute: number, more: object = {}) => {
    const uuid = `${id}-${lines.length}`;
    lines.push(claudeLine(type, uuid, last, content, { sessionId: id, timestamp: at(minute), ...more }));
    last = uuid;
  };
  const path = `-home-ada-shop/${id}.jsonl`;
  return {
    lines,
    path,
    ask: (text: string, minute: number) => add("user", text, minute),
    think: (thinking: string, minute: number) => add("assistant", [{ type: "thinking", thinking }], minute),
    /** Adds a call and its result. */
    use(tool: string, input: object, { call, minute, more = {} }: Told, result: object = {}) {
      const callId = call ?? `${id}-call-${lines.length}`;
      add("assistant", [{ type: "tool_use", id: callId, name: tool, input }], minute);
      add("user", [{ type: "tool_result", tool_use_id: callId, content: "ok", ...result }], minute, more);
      return callId;
    },
    async import(client: TestClient): Promise<string> {
      writeLines(join(claudeRoot(app), path), lines);
      const { sessionId } = await client.call("transcripts_import", {
        ref: { path },
        root_dir: claudeRoot(app),
      });
      return sessionId;
    },
  };
}

const pool = ["export const pool = {", "  size: 40, // one connection per worker", "};", ""];

/** Creates a repository with `src/pool.ts`, written by one session and committed. */
export async function withRepository(app: TestApp) {
  const repository = createRepository(repositoryOf(app));
  repository.write("README.md", "# Shop\n");
  repository.commit("docs: start", 0);
  repository.write("src/pool.ts", pool.join("\n"));
  repository.commit("fix: size the pool", 12);
  const client = app.modern();
  const transcript = createTranscript(app, "22222222-2222-4333-8444-555555555555");
  transcript.ask("Checkout times out. Find out why and fix it.", 5);
  transcript.think("40 workers share 10 connections, so the pool must have one connection per worker.", 6);
  transcript.use(
    "Write",
    { file_path: "/home/ada/shop/src/pool.ts", content: pool.join("\n") },
    { minute: 7 },
  );
  const sessionId = await transcript.import(client);
  return { client, sessionId };
}
