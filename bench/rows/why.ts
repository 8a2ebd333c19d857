import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { hashLine } from "../../src/domain/actions/action.ts";
import type { KeptAction } from "../../src/domain/actions/kept-action.ts";
import { hookSocketPath } from "../../src/hook/socket-path.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createSqliteStore } from "../../src/storage/sqlite/sqlite-store.ts";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, p99 } from "../measure/samples.ts";
import { timeEach, timeOnce } from "../measure/timing.ts";
import type { Bench, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { startHttpServer } from "../servers/http-server.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { librarySession, openLibrary } from "../stores/known-stores.ts";

const goals = { warmMs: 20, overBlameMs: 10, beforeMs: 5 } as const;
const [sessions, linesOfEdit, commits, otherFiles] = [50, 20, 10, 10] as const;
const fileOf = (n: number): string => (n === 0 ? "src/values.ts" : `src/values-${n}.ts`);

const lineOf = (session: number, n: number): string => `export const value_${session}_${n} = compute(${n});`;
const linesOf = (session: number): string[] =>
  Array.from({ length: linesOfEdit }, (_, n) => lineOf(session, n));

export const why: Row = {
  id: "why",
  about: "why a line exists, and what an agent learns before an edit",

  async run(bench) {
    const { dataDir, repository, thoughts } = await fill(bench);
    const file = join(repository, "src", "values.ts");
    const line = () => 1 + Math.floor(Math.random() * sessions * linesOfEdit);
    const ours = candidates.thoughtbox(dataDir);
    const blame = (path: string) =>
      execFileSync("git", ["-C", repository, "blame", "-w", "-M", "--porcelain", "HEAD", "--", path]);
    const others = Array.from({ length: otherFiles }, (_, n) => fileOf(n + 1));
    const { cold, bare, warm, first } = await interleave(bench.times(10), {
      bare: async () => {
        const times: number[] = [];
        for (const path of others) times.push(await timeOnce(async () => void blame(path)));
        return times;
      },
      /** Times a running server on files that it has not read before. */
      cold: () =>
        withServers({ ours }, async (servers) => {
          for (let n = 0; n < 20; n += 1) await callOperation(servers.ours, "why", { file, line: line() });
          const times: number[] = [];
          for (const path of others) {
            const asked = { file: join(repository, path), line: line() };
            times.push(await timeOnce(() => callOperation(servers.ours, "why", asked)));
          }
          return times;
        }),
      first: () =>
        withServers({ ours }, async (servers) => {
          await callOperation(servers.ours, "list_sessions", { limit: 1 });
          return [await timeOnce(() => callOperation(servers.ours, "why", { file, line: line() }))];
        }),
      warm: () =>
        withServers({ ours }, async (servers) => {
          for (let n = 0; n < 20; n += 1) await callOperation(servers.ours, "why", { file, line: line() });
          return timeEach(20, () => callOperation(servers.ours, "why", { file, line: line() }));
        }),
    });
    const { silent, speaking } = await askHooks(bench, dataDir, repository);
    return [
      {
        id: "why.warm",
        what: `why a line exists, asked again, ${thoughts.toLocaleString("en")} thoughts`,
        ours: milliseconds(warm),
        goal: atMost(goals.warmMs, p50(warm), "ms"),
      },
      {
        id: "why.cold",
        what: "the same for a file that was not asked about before",
        ours: milliseconds(cold),
        against: { name: "git blame", figure: milliseconds(bare) },
        goal: atMost(goals.overBlameMs, p50(cold) - p50(bare), "ms over it"),
      },
      {
        id: "why.first",
        what: "the same as the first question to a fresh server",
        ours: milliseconds(first),
      },
      {
        id: "why.before_action",
        what: "what a server answers before an edit that removes lines",
        ours: milliseconds(silent),
        goal: atMost(goals.beforeMs, p99(silent), "ms at p99"),
      },
      {
        id: "why.before_action.speaking",
        what: "the same, if they are another session's",
        ours: milliseconds(speaking),
      },
    ];
  },
};

/** Creates a repository with a file, and a library that includes the sessions that wrote the file. */
async function fill(bench: Bench) {
  const library = await openLibrary(bench);
  const dataDir = bench.stores.copyOf(library.path);
  const store = createSqliteStore({ kind: "directory", path: dataDir }, systemClock);
  for (let n = 0; n < sessions; n += 1)
    await store.actions.record(librarySession(n), [
      ...Array.from({ length: 40 }, (_, part) => editOf(n, `other-${n}-${part}.ts`, `call-${n}-${part}`)),
      ...Array.from({ length: otherFiles + 1 }, (_, k) =>
        editOf(n, `/home/ada/values/${fileOf(k)}`, `call-${n}-in-${k}`),
      ),
      refusalOf(n),
    ]);
  await store.close();
  const repository = bench.stores.freshDirectory();
  mkdirSync(join(repository, "src"), { recursive: true });
  const git = (...words: string[]) =>
    execFileSync("git", [
      "-C",
      repository,
      "-c",
      "user.name=Ada",
      "-c",
      "user.email=ada@example.com",
      ...words,
    ]);
  git("init", "--quiet");
  for (let commit = 1; commit <= commits; commit += 1) {
    const written = Array.from({ length: (sessions / commits) * commit }, (_, n) => linesOf(n)).flat();
    for (let k = 0; k <= otherFiles; k += 1)
      writeFileSync(join(repository, fileOf(k)), `${written.join("\n")}\n`);
    git("add", "--all");
    git("commit", "--quiet", "-m", `feat: values ${commit}`);
  }
  return { dataDir, repository, thoughts: library.sessions * library.thoughts };
}

const at = (minute: number): string => new Date(Date.now() - minute * 60_000).toISOString();

const editOf = (n: number, path: string, call: string): KeptAction => ({
  type: "edit",
  change: "edit",
  call,
  part: 0,
  tool: "Edit",
  at: at(sessions - n + 60),
  after: { thoughtNumber: 10 },
  path,
  lines: linesOf(n).map((line) => ({ hash: hashLine(line), written: true, long: true, begins: false })),
  removed: [],
});

const refusalOf = (n: number): KeptAction => ({
  type: "refusal",
  call: `refused-${n}`,
  part: 0,
  tool: "Bash",
  at: at(n),
  command: `rm -rf build-${n}`,
  said: "not that",
});

/** Announces edits like a client: edits to lines that no session wrote, and to lines from another session. */
async function askHooks(bench: Bench, dataDir: string, repository: string) {
  const server = await startHttpServer(candidates.thoughtboxHttp(dataDir));
  let asked = 0;
  const ask = async (old: readonly string[]) => {
    asked += 1;
    const input = {
      cwd: repository,
      session_id: `session-${asked}`,
      transcript_path: `/none/${asked}.jsonl`,
      tool_name: "Edit",
      tool_use_id: `toolu_${asked}`,
      tool_input: {
        file_path: join(repository, "src/values.ts"),
        old_string: old.join("\n"),
        new_string: "",
      },
    };
    const began = performance.now();
    const socket = connect(hookSocketPath(dataDir));
    socket.end(`${JSON.stringify({ client: "claude-code", event: "PreToolUse", input })}\n`);
    const said = await text(socket);
    return { ms: performance.now() - began, said };
  };
  const times = async (old: () => readonly string[], speaks: boolean) => {
    const found: number[] = [];
    for (let n = 0; n < 50; n += 1) {
      const { ms, said } = await ask(old());
      if (said.includes(" removes ") !== speaks) throw new Error(`before_action answered ${said}`);
      found.push(ms);
    }
    return found;
  };
  const foreign = linesOf(sessions + 1);
  await ask(foreign);
  const measured = await interleave(bench.times(10), {
    silent: () => times(() => foreign, false),
    speaking: () => times(() => linesOf(Math.floor(Math.random() * sessions)), true),
  });
  await server.stop();
  return measured;
}
