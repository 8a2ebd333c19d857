import { parseArgs } from "node:util";
import { bareLine, hashBareLine } from "../../src/domain/actions/action.ts";
import { type Attribution, type BlamedFile, countWriters, matchLines, settleLines, type WriterCounts, type BlamedLine, type CommitTimes } from "../../src/domain/why/attribute-lines.ts";
import { gatherEdits, indexWritten, type KnownEdit, repositoryPath } from "../../src/domain/why/known-edits.ts";
import { parseBlame, parseCommits } from "../../src/git/parse-git.ts";
import { readCheckpoints } from "./checkpoints.ts";
import { createGitReader } from "./read-git.ts";

const { values } = parseArgs({ options: { repo: { type: "string" }, head: { type: "string", default: "HEAD" }, wrong: {type:"boolean",default:false} } });
if (values.repo === undefined) throw new Error("Name the repository: npm run bench:memory -- --repo <path>");

const git = createGitReader(values.repo);
const t0=Date.now();
const kept = await readCheckpoints(git, () => {});
if (!kept) throw new Error("none");
console.error("\n", kept.transcripts, kept.absent, kept.unknown, kept.bytes, kept.edits.length, kept.labels.size, Date.now()-t0);
const known = gatherEdits(kept.edits);
const paths = new Set((await git.read("log", "--all", "--format=", "--name-only", "-z")).split("\0").map((p) => p.replace(/^\n/, "")));
const byPath = new Map<string, KnownEdit[]>();
for (const edit of known) {
  for (const written of [edit.edit.path, ...(edit.edit.from === undefined ? [] : [edit.edit.from])]) {
    const path = repositoryPath(written, (p) => paths.has(p));
    if (path !== undefined) byPath.set(path, [...(byPath.get(path) ?? []), edit]);
  }
}
console.error("known", known.length, "on known paths", [...byPath.values()].reduce((a, b) => a + b.length, 0));
const anywhere = indexWritten(known, "long");
const head = (await git.read("rev-parse", values.head)).trim();
const files = (await git.listFiles(head)).map(({ path }) => path);
const commitCache = new Map<string, { parents: readonly string[]; authored: number; committed: number }>();
async function commit(id: string) {
  const have = commitCache.get(id);
  if (have) return have;
  const text = await git.readBlob(id);
  if (!text) return undefined;
  const [parsed] = parseCommits(Buffer.concat([Buffer.from(`${id} commit ${text.length}\n`), text, Buffer.from("\n")])).values();
  if (parsed) commitCache.set(id, parsed);
  return parsed;
}
let [asked, attributed, right, all] = [0, 0, 0, 0];
const byClass = new Map<string, { n: number; right: number }>();
const miss = new Map<string, number>(); const missFile=new Map<string,number>(); const ex = new Map<string,[number,number,number]>();
let noLabel=0, noLabelAttr=0;
const blamed: {path: string; file: BlamedFile; rows: ReturnType<typeof parseBlame>; here: Set<KnownEdit>; found: ReturnType<typeof matchLines>}[] = [];
let counts: WriterCounts = new Map();
for (const path of files) {
  const printed = await git.read("blame", "-w", "-M", "--porcelain", "--no-textconv", head, "--", path).catch(() => "");
  if (printed.includes("\0")) continue;
  const rows = parseBlame(printed);
  const commits = new Map<string, CommitTimes>();
  for (const id of new Set(rows.map((row) => row.commit))) {
    const c = await commit(id);
    if (!c) continue;
    let parent = c.parents[0] === undefined ? undefined : await commit(c.parents[0]);
    if (process.env['VAR'] === 'walk') for (let i = 0; i < 200 && parent && parent.authored > c.authored; i++) parent = parent.parents[0] === undefined ? undefined : await commit(parent.parents[0]);
    if (process.env['VAR'] === 'hours' && parent && parent.authored > c.authored) parent = { ...parent, authored: c.authored - 4*3600000 };
    commits.set(id, { parentAuthored: parent?.authored, authored: c.authored, committed: c.committed });
  }
  const names = new Set([path, ...rows.map((row) => row.path)]);
  const here = new Set([...names].flatMap((name) => byPath.get(name) ?? []));
  const lines: BlamedLine[] = rows.map(({ text, commit }) => {
    const bare = bareLine(text);
    return { chars: bare.length, hash: hashBareLine(bare), commit };
  });
  const file = { lines, commits, here: indexWritten([...here]), anywhere };
  const matched = matchLines(file);
  counts = countWriters(lines, matched, counts);
  blamed.push({ path, file, rows, here, found: matched });
}
for (const { path, file, rows, here, found: matched } of blamed) {
  const { lines } = file;
  const found = settleLines(file, matched, process.env['OWN'] ? countWriters(lines, matched) : counts);
  lines.forEach((line, at) => {
    all += 1;
    if (line.chars < 12) return;
    const labels = kept.labels.get(line.commit);
    if (!labels) { noLabel++; if (found[at]) noLabelAttr++; return; }
    asked += 1;
    const e = path.replace(/^.*\./, '.'); const ee = ex.get(e) ?? [0,0,0]; ex.set(e, ee); ee[0]++; if (found[at]) { ee[1]++; if (found[at]!.known.places.some(({ sessionId }) => labels.has(sessionId))) ee[2]++; }
    const a: Attribution | undefined = found[at];
    if (!a) {
      const ext = path.replace(/^.*\./, "."); const any = anywhere.get(line.hash);
      const t = file.commits.get(line.commit)!; const lim = Math.max(t.authored,t.committed)+120000; const ok = any?.filter((o)=>o.known.time<=lim) ?? []; const okh = ok.filter((o)=>here.has(o.known));
      if (any) { const kk = okh.length ? 'here-old' : ok.length ? 'else-early' : 'later'; miss.set(kk,(miss.get(kk)??0)+1); if (kk==='here-old') console.log('HO', path, at+1, line.chars, line.commit.slice(0,8), JSON.stringify(rows[at]!.text.slice(0,60)), okh.length, new Date(okh[0]!.known.time).toISOString(), 'parent', new Date(t.parentAuthored??0).toISOString(), 'auth', new Date(t.authored).toISOString()); }
      const k = ext + " " + (here.size===0?"nofile ":"") + (any ? (any.some((o)=> [...here].includes(o.known)) ? "inhere" : "elsewhere") : "nowhere");
      if (/nowhere/.test(k) ) process.env['MISS'] && console.log('MISS', JSON.stringify([path, at+1, line.commit, rows[at]!.text, [...labels]])); if (false) console.log(path, at+1, line.commit.slice(0,8), JSON.stringify(rows[at]!.text), [...labels]);
 miss.set(k, (miss.get(k) ?? 0) + 1); missFile.set(path, (missFile.get(path)??0)+1); return; }
    attributed += 1;
    const ok = a.known.places.some(({ sessionId }) => labels.has(sessionId));
    if (ok) right += 1;
    const c = byClass.get(a.class) ?? { n: 0, right: 0 };
    byClass.set(a.class, { n: c.n + 1, right: c.right + (ok ? 1 : 0) });
  });
}
git.close();
console.log({ all, asked, attributed: (attributed / asked) * 100, right: (right / attributed) * 100, noLabel, noLabelAttr, byClass: [...byClass].map(([k, v]) => [k, v.n, ((v.right / v.n) * 100).toFixed(1)].join(" ")) }, Date.now()-t0);

console.log([...miss].sort((a,b)=>b[1]-a[1]).slice(0,14), [...missFile].sort((a,b)=>b[1]-a[1]).slice(0,14), [...ex].map(([k,[n,a,r]])=>`${k} ${n} ${(a/n*100).toFixed(1)} ${(r/a*100).toFixed(1)}`));