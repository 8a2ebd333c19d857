import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { hookSocketPath } from "../../src/hook/socket-path.ts";
import { milliseconds } from "../figures.ts";
import { atMost } from "../goals.ts";
import { interleave } from "../measure/interleave.ts";
import { p50, p99, ratioOf } from "../measure/samples.ts";
import type { Bench, Row } from "../row.ts";
import { candidates, root } from "../servers/candidates.ts";
import { cleanEnv } from "../servers/child.ts";
import { startHttpServer } from "../servers/http-server.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { fillTranscript } from "../stores/fill-transcripts.ts";
import { openLibrary } from "../stores/known-stores.ts";
import { someThought } from "../stores/some-thought.ts";

/** Milliseconds that a hook may take beyond the start of a bare Node.js process. Clients wait for hooks. */
const mostOverBareMs = 20;
const mostAnswerMs = 300;
/** A session start reads this many recent sessions. Each of these sessions has something to report. */
const [sessionsWithWords, thoughtsOfEach] = [8, 80];

export const hooks: Row = {
  id: "hooks",
  about: "what a client's hook costs, with a running server",

  async run(bench) {
    const library = await openLibrary(bench);
    const dataDir = bench.stores.copyOf(library.path);
    await decide(dataDir);
    const [home, transcript] = fillHome(bench);
    const env = { THOUGHTBOX_CAPTURE: "on", CLAUDE_CONFIG_DIR: home };
    const server = await startHttpServer(candidates.thoughtboxHttp(dataDir, env));
    const input = { cwd: root, source: "startup", session_id: "bench", transcript_path: transcript };
    const start = async (...words: string[]) => {
      const began = performance.now();
      const child = spawn(process.execPath, words, {
        stdio: ["pipe", "pipe", "ignore"],
        env: { ...cleanEnv(), THOUGHTBOX_DATA_DIR: dataDir },
      });
      child.stdin.end(JSON.stringify(input));
      await Promise.all([text(child.stdout), once(child, "close")]);
      return [performance.now() - began];
    };
    const ask = async (event: string, expected: RegExp) => {
      const began = performance.now();
      const socket = connect(hookSocketPath(dataDir));
      socket.end(`${JSON.stringify({ client: "claude-code", event, input })}\n`);
      const answer = await text(socket);
      const took = performance.now() - began;
      if (!expected.test(answer)) throw new Error(`${event} was answered with ${answer}`);
      return took;
    };
    const several = async (work: () => Promise<number>): Promise<number[]> => {
      const taken: number[] = [];
      for (let count = 0; count < 10; count += 1) taken.push(await work());
      return taken;
    };
    const hook = join(root, "dist", "hook.js");
    const { bare, started, begun, captured } = await interleave(bench.times(40), {
      bare: () => start("-e", "0"),
      // The hook for the end of a turn returns at once, so this measures the program's start. The answers are
      // measured in separate rows.
      started: () => start(hook, "claude-code", "Stop"),
      begun: () => several(() => ask("SessionStart", /additionalContext.*decided: /)),
      captured: () => several(() => ask("Stop", /^\{\}\n$/)),
    });
    await server.stop();
    const thoughts = (library.sessions * library.thoughts).toLocaleString("en");
    return [
      {
        id: "hooks.start",
        what: "a hook at the end of a turn, from its start to its end",
        ours: milliseconds(started),
        against: { name: "node -e 0", figure: milliseconds(bare) },
        ratio: ratioOf(started, bare),
        goal: atMost(mostOverBareMs, p50(started) - p50(bare), "ms over it"),
      },
      {
        id: "hooks.answer",
        what: `what a session starts with, ${thoughts} thoughts`,
        ours: milliseconds(begun),
        goal: atMost(mostAnswerMs, p99(begun), "ms at p99"),
      },
      {
        id: "hooks.capture",
        what: `the end of a turn, ${thoughts} thoughts`,
        ours: milliseconds(captured),
        goal: atMost(mostAnswerMs, p99(captured), "ms at p99"),
      },
    ];
  },
};

/** Writes the project's latest sessions, so that the start of a session has some to choose from. */
async function decide(dataDir: string): Promise<void> {
  await withServers({ ours: candidates.thoughtbox(dataDir) }, async ({ ours }) => {
    for (let session = 0; session < sessionsWithWords; session += 1) {
      const sessionTitle = someThought().slice(0, 60);
      const { sessionId } = await callOperation(ours, "start_new", { sessionTitle });
      for (let number = 1; number <= thoughtsOfEach; number += 1) {
        const said =
          number % 20 === 0 ? `We decided to use plan ${session} ${number}, because` : "We see that";
        await callOperation(ours, "thought", { sessionId, thought: `${said} ${someThought()}.` });
      }
    }
  });
}

function fillHome(bench: Bench): [string, string] {
  const home = bench.stores.freshDirectory();
  const projects = join(home, "projects");
  return [home, join(projects, fillTranscript(projects, "claude-code", 1_000_000, 1))];
}
