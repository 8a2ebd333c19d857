// Creates a set of pairs "commit subject → session it came from". The repository's commits must name a transcript
// checkpoint in a trailer, and a branch must contain it: <2 characters>/<the rest>/<n>/full.jsonl and metadata.json.
// All checkpoints of a session are combined into one session with everything that was said in it.
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

/** Runs git. Does not fetch missing files of a partial clone over the network. */
const git = (...args) =>
  execFileSync("git", ["-C", repository, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
    env: { ...process.env, GIT_NO_LAZY_FETCH: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  });

/** Returns a file's text, or `undefined` if the clone does not have the file. */
function read(path) {
  try {
    return git("show", `${values.branch}:${path}`);
  } catch {
    return undefined;
  }
}

const parse = (line) => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** Returns the texts by people and models, including thinking, but not tool calls or their results. */
const wordsIn = (content) =>
  (typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [])
    .flatMap((part) =>
      part?.type === "thinking"
        ? [part.thinking]
        : ["text", "input_text", "output_text", "summary_text"].includes(part?.type)
          ? [part.text]
          : [],
    )
    .filter((text) => typeof text === "string" && text.trim() !== "");

/** Returns an entry's texts. Claude Code writes messages directly. Codex wraps them in another object. */
function wordsOf(entry) {
  if (entry?.type === "user" || entry?.type === "assistant") return wordsIn(entry.message?.content);
  if (entry?.type !== "response_item") return [];
  const { type, role, content, summary } = entry.payload ?? {};
  if (type === "message" && (role === "user" || role === "assistant")) return wordsIn(content);
  return type === "reasoning" ? wordsIn(summary) : [];
}

const paths = git("ls-tree", "-r", "--name-only", values.branch).split("\n");
/** Everything that was said, keyed by session ID. Each line appears once, in the order of the checkpoints. */
const said = new Map();
const sessionsOf = new Map();
let absent = 0;
for (const path of paths) {
  const found = /^([0-9a-f]{2})\/([0-9a-f]+)\/(?:\d+\/)?full\.jsonl$/.exec(path);
  if (!found) continue;
  const text = read(path);
  if (text === undefined) {
    absent += 1;
    continue;
  }
  const checkpoint = found[1] + found[2];
  const about = parse(read(path.replace(/full\.jsonl$/, "metadata.json")) ?? "");
  const session = typeof about?.session_id === "string" ? about.session_id : checkpoint;
  sessionsOf.set(checkpoint, new Set([...(sessionsOf.get(checkpoint) ?? []), session]));
  const lines = said.get(session) ?? new Map();
  said.set(session, lines);
  for (const line of text.split("\n")) {
    const entry = parse(line);
    const key = typeof entry?.uuid === "string" ? entry.uuid : line;
    const words = lines.has(key) ? [] : wordsOf(entry);
    if (words.length > 0) lines.set(key, { at: entry.timestamp, words });
  }
}
if (absent > 0)
  process.stderr.write(`from-git: ${absent} transcripts are not in this clone and were left out\n`);

const isTime = (at) => typeof at === "string" && !Number.isNaN(Date.parse(at));
const sessions = [...said].flatMap(([key, lines]) => {
  const entries = [...lines.values()];
  const created = entries.find(({ at }) => isTime(at))?.at ?? new Date(0).toISOString();
  const time = (at) => new Date(isTime(at) ? at : created).toISOString();
  const thoughts = entries
    .flatMap(({ at, words }) => words.map((text) => ({ text: text.slice(0, 200_000), at: time(at) })))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map((thought, n) => ({ key: `${key}:${n + 1}`, ...thought }));
  return thoughts.length === 0 ? [] : [{ key, created: time(created), thoughts }];
});

const known = new Set(sessions.map(({ key }) => key));
const log = git(
  "log",
  "--branches",
  "--no-merges",
  `--format=%s%x00%(trailers:key=${values.trailer},valueonly,separator=%x2C)%x01`,
);
const questions = log.split("\x01").flatMap((entry) => {
  const [subject = "", checkpoints = ""] = entry.trim().split("\0");
  const named = checkpoints.split(",").flatMap((id) => [...(sessionsOf.get(id.trim()) ?? [])]);
  const gold = [...new Set(named)].filter((key) => known.has(key));
  return subject === "" || gold.length === 0
    ? []
    : [{ text: subject.slice(0, 500), category: "commit", thoughts: [], sessions: gold }];
});
process.stdout.write(`${JSON.stringify({ format: "thoughtbox-recall/1", sessions, questions })}\n`);
