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
import type { Row } from "../row.ts";
import { candidates, root } from "../servers/candidates.ts";
import { cleanEnv } from "../servers/child.ts";
import { startHttpServer } from "../servers/http-server.ts";
import { openLibrary } from "../stores/known-stores.ts";

/** A client waits for its hooks, so that what they take over a bare Node.js is what it notices. */
const mostOverBareMs = 20;
const mostAnswerMs = 300;

export const hooks: Row = {
  id: "hooks",
  about: "what a client's hook costs, with a running server",

  async run(bench) {
    const library = await openLibrary(bench);
    const server = await startHttpServer(candidates.thoughtboxHttp(library.path));
    const input = JSON.stringify({ cwd: root, source: "startup", session_id: "bench" });
    const start = async (...words: string[]) => {
      const began = performance.now();
      const env = { ...cleanEnv(), THOUGHTBOX_DATA_DIR: library.path };
      const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "ignore"], env });
      child.stdin.end(input);
      await Promise.all([text(child.stdout), once(child, "close")]);
      return [performance.now() - began];
    };
    const hook = join(root, "dist", "hook.js");
    const measured = await interleave(bench.times(40), {
      bare: () => start("-e", "0"),
      hook: () => start(hook, "claude-code", "SessionStart"),
      answer: async () => {
        const began = performance.now();
        const socket = connect(hookSocketPath(library.path));
        socket.end(
          `${JSON.stringify({ client: "claude-code", event: "SessionStart", input: { cwd: root } })}\n`,
        );
        await text(socket);
        return [performance.now() - began];
      },
    });
    await server.stop();
    const { bare, hook: ours, answer } = measured;
    return [
      {
        id: "hooks.start",
        what: "a hook, from its start to its end",
        ours: milliseconds(ours),
        against: { name: "node -e 0", figure: milliseconds(bare) },
        ratio: ratioOf(ours, bare),
        goal: atMost(mostOverBareMs, p50(ours) - p50(bare), "ms over it"),
      },
      {
        id: "hooks.answer",
        what: `what a session starts with, ${library.sessions.toLocaleString("en")} sessions`,
        ours: milliseconds(answer),
        goal: atMost(mostAnswerMs, p99(answer), "ms at p99"),
      },
    ];
  },
};
