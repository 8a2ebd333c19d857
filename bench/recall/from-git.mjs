// Makes a set "subject of a commit → the session it came from" of a repository whose commits name the checkpoint of a
// transcript (a trailer) and that keeps these on a branch: <2 characters>/<the rest>/<n>/full.jsonl.
//
//   node bench/recall/from-git.mjs <repository> [--branch entire/checkpoints/v1] [--trailer Entire-Checkpoint] > set.json
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    branch: { type: "string", default: "entire/checkpoints/v1" },
    trailer: { type: "string", default: "Entire-Checkpoint" },
  },
});
const [repository] = positionals;
if (repository === undefined) {
  process.stderr.write("from-git: name a repository\n");
  process.exit(2);
}

const git = (...args) =>
  execFileSync("git", ["-C", repository, ...args], { encoding: "utf8", maxBuffer: 1 << 30 });

/** Texts of a transcript in order: one JSON object a line, what people and models said, no calls of tools. */
function readTranscript(lines) {
  return lines.split("\n").flatMap((line) => {
    try {
      const { type, timestamp, message } = JSON.parse(line);
      if (type !== "user" && type !== "assistant") return [];
      const content = message?.content;
      const parts = typeof content === "string" ? [content] : (content ?? []).map((part) => part?.text ?? "");
      return parts
        .filter((text) => typeof text === "string" && text.trim() !== "")
        .map((text) => ({ text, at: timestamp }));
    } catch {
      return [];
    }
  });
}

const transcripts = new Map();
for (const path of git("ls-tree", "-r", "--name-only", values.branch).split("\n")) {
  const found = /^([0-9a-f]{2})\/([0-9a-f]+)\/(?:\d+\/)?full\.jsonl$/.exec(path);
  if (!found) continue;
  const key = found[1] + found[2];
  const said = readTranscript(git("show", `${values.branch}:${path}`));
  transcripts.set(key, [...(transcripts.get(key) ?? []), ...said]);
}

const questions = [];
const log = git(
  "log",
  "--branches",
  "--no-merges",
  `--format=%s%x00%aI%x00%(trailers:key=${values.trailer},valueonly,separator=%x2C)%x01`,
);
for (const entry of log.split("\x01")) {
  const [subject = "", , checkpoints = ""] = entry.trim().split("\0");
  const sessions = [...new Set(checkpoints.split(",").map((id) => id.trim()))].filter((id) =>
    transcripts.has(id),
  );
  if (subject !== "" && sessions.length > 0)
    questions.push({ text: subject.slice(0, 500), category: "commit", thoughts: [], sessions });
}

const sessions = [...transcripts]
  .filter(([, said]) => said.length > 0)
  .map(([key, said]) => {
    const created = said.find(({ at }) => !Number.isNaN(Date.parse(at)))?.at ?? new Date(0).toISOString();
    const at = (time) => new Date(Number.isNaN(Date.parse(time)) ? created : time).toISOString();
    return {
      key,
      created: at(created),
      thoughts: said.map(({ text, at: time }, n) => ({
        key: `${key}:${n + 1}`,
        text: text.slice(0, 200_000),
        at: at(time),
      })),
    };
  });
process.stdout.write(`${JSON.stringify({ format: "thoughtbox-recall/1", sessions, questions })}\n`);
