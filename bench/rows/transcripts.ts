import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { atLeast } from "../goals.ts";
import type { Samples } from "../measure/samples.ts";
import { p50 } from "../measure/samples.ts";
import type { Bench, Figure, Line, Row } from "../row.ts";
import { candidates } from "../servers/candidates.ts";
import { cleanEnv } from "../servers/child.ts";
import { processorTime, processorTimeOfEnded } from "../servers/processor-time.ts";
import type { StdioServer } from "../servers/stdio-server.ts";
import { callOperation } from "../servers/thinking.ts";
import { withServers } from "../servers/with-servers.ts";
import { fillTranscript, type TranscriptKind } from "../stores/fill-transcripts.ts";

const megabyte = 1_000_000;
const leastPerSecond = 20;

export const transcripts: Row = {
  id: "transcripts",
  about: "transcripts imported as sessions: megabytes per second of processor time and of wall-clock time",

  async run(bench) {
    const lines: Line[] = [];
    for (const kind of ["claude-code", "codex"] as const) lines.push(...(await ofKind(bench, kind)));
    return lines;
  },
};

async function ofKind(bench: Bench, kind: TranscriptKind): Promise<Line[]> {
  const home = bench.stores.freshDirectory();
  const root = kind === "codex" ? join(home, "sessions") : join(home, "projects");
  const size = (bench.quick ? 10 : 40) * megabyte;
  const count = bench.quick ? 2 : 4;
  const paths = Array.from({ length: count }, (_, seed) => fillTranscript(root, kind, size, seed + 1));
  const env = { CODEX_HOME: home, CLAUDE_CONFIG_DIR: home };
  const measured = await withServers(
    { ours: candidates.thoughtbox(bench.stores.freshDirectory(), env) },
    async ({ ours }) => {
      const worked: number[][] = [];
      const waited: number[][] = [];
      const again: number[][] = [];
      for (const path of paths) {
        const bytes = statSync(join(root, path)).size;
        const first = await measure(ours, { root_dir: root, ref: { path } }, "imported");
        worked.push([bytes / megabyte / (first.worked / 1_000)]);
        waited.push([bytes / megabyte / (first.waited / 1_000)]);
        const second = await measure(ours, { root_dir: root, ref: { path } }, "unchanged");
        again.push([bytes / megabyte / (second.worked / 1_000)]);
      }
      return { worked, waited, again };
    },
  );
  const whole = measureCommand(bench, kind, root, paths, env);
  const name = kind === "codex" ? "Codex" : "Claude Code";
  const line = (id: string, what: string, samples: Samples, goal?: Line["goal"]): Line => ({
    id: `transcripts.${kind}${id}`,
    what: `a transcript of ${name} (${Math.round(size / megabyte)} MB) ${what}`,
    ours: perSecond(samples),
    ...(goal && { goal }),
  });
  return [
    line(
      "",
      "imported, per second of processor time",
      measured.worked,
      atLeast(leastPerSecond, p50(measured.worked), "MB/s"),
    ),
    line(".waited", "imported, per second of wall-clock time", measured.waited),
    line(".again", "imported again, per second of processor time", measured.again),
    {
      id: `transcripts.${kind}.command`,
      what: `all ${count} with thoughtbox import, including its start and the JSON files, per second of processor time`,
      ours: perSecond(whole),
      goal: atLeast(leastPerSecond, p50(whole), "MB/s"),
    },
  ];
}

/**
 * Runs the command as a user would. Before ext4 reuses an inode, it checks each one freed in the last few minutes.
 * Creating files therefore costs several times as much just after many were deleted.
 */
function measureCommand(
  bench: Bench,
  kind: TranscriptKind,
  root: string,
  paths: readonly string[],
  env: Record<string, string>,
): Samples {
  const bytes = paths.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  const { args } = candidates.importTranscripts(kind);
  const dataDir = bench.stores.freshDirectory();
  const began = { clock: performance.now(), processor: processorTimeOfEnded() };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...cleanEnv(), ...env, THOUGHTBOX_DATA_DIR: dataDir },
    encoding: "utf8",
  });
  const waited = performance.now() - began.clock;
  const spent = processorTimeOfEnded();
  if (status !== 0 || !stdout.includes(`${paths.length} new`))
    throw new Error(`the import failed: ${stdout}${stderr}`);
  const worked = began.processor === undefined || spent === undefined ? waited : spent - began.processor;
  return [[bytes / megabyte / (worked / 1_000)]];
}

async function measure(server: StdioServer, args: Record<string, unknown>, expected: string) {
  const began = { clock: performance.now(), processor: processorTime(server.pid) };
  const { outcome } = await callOperation(server, "transcripts_import", args);
  if (outcome !== expected) throw new Error(`the import says ${outcome}, not ${expected}`);
  const waited = performance.now() - began.clock;
  const spent = processorTime(server.pid);
  return {
    waited,
    worked: began.processor === undefined || spent === undefined ? waited : spent - began.processor,
  };
}

const perSecond = (samples: Samples): Figure => ({ value: p50(samples), unit: "MB/s" });
