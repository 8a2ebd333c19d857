import { parseArgs } from "node:util";
import { readCheckpoints, readFolder } from "./kept.ts";
import { measureRepository, type Tally } from "./measure.ts";
import { createGitReader } from "./read-git.ts";

const { values } = parseArgs({
  options: {
    repo: { type: "string" },
    head: { type: "string", default: "HEAD" },
    transcripts: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const percent = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((part / whole) * 100).toFixed(1)}%`;

function toMarkdown(tally: Tally, source: string): string {
  const wrong = tally.attributed - tally.right;
  const rows: [string, string][] = [
    ["transcripts from", source],
    ["files, lines", `${tally.files}, ${tally.lines}`],
    ["labelled lines", `${tally.labelled}`],
    ["line → session: attributed", percent(tally.attributed, tally.labelled)],
    ["of reachable lines", percent(tally.attributed, tally.reachable)],
    ["right", percent(tally.right, tally.attributed)],
    ["wrong, but the label is contradicted", `${tally.contradicted} of ${wrong}`],
    ["right, contradicted labels left out", percent(tally.right, tally.attributed - tally.contradicted)],
    ["commit → session: attributed", percent(tally.commitsAttributed, tally.commits)],
    ["commit → session: right", percent(tally.commitsRight, tally.commitsAttributed)],
    ["lines without a label: attributed", percent(tally.unlabelledAttributed, tally.unlabelled)],
    ...[...tally.byClass]
      .sort(([, a], [, b]) => b.lines - a.lines)
      .map(([kind, { lines, right }]): [string, string] => [
        `class ${kind}`,
        `${lines}, ${percent(right, lines)} right`,
      ]),
  ];
  return ["| | |", "|---|---|", ...rows.map(([name, value]) => `| ${name} | ${value} |`), ""].join("\n");
}

async function run(repository: string): Promise<void> {
  const began = performance.now();
  const git = createGitReader(repository);
  try {
    const { transcripts, head } = values;
    const kept = transcripts === undefined ? await readCheckpoints(git) : readFolder(transcripts);
    if (!kept)
      throw new Error(
        "this repository has no branch with checkpoints; name a folder of transcripts with --transcripts",
      );
    const { absent, unknown, bytes, edits } = kept;
    const seconds = () => `${((performance.now() - began) / 1_000).toFixed(1)} s`;
    process.stderr.write(
      `bench: ${kept.transcripts} transcripts (${absent} absent, ${unknown} unknown), ${Math.round(bytes / 1_000_000)} MB, ${edits.length} edits, ${seconds()}\n`,
    );
    const tally = await measureRepository(git, await git.resolve(head), kept);
    process.stderr.write(`bench: ${seconds()}\n`);
    const data = { ...tally, byClass: Object.fromEntries(tally.byClass) };
    process.stdout.write(values.json ? `${JSON.stringify(data)}\n` : toMarkdown(tally, kept.source));
  } finally {
    git.close();
  }
}

if (values.repo === undefined) {
  process.stderr.write("bench: name the repository: npm run bench:memory -- --repo <path>\n");
  process.exitCode = 2;
} else await run(values.repo);
