import { transcriptFormats } from "../../../domain/transcripts/entry.ts";
import { sessionIdOf } from "../../../domain/transcripts/session/describe-session.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { quote } from "../../../kernel/text.ts";
import type { Commit, Repository } from "../../../ports/repository.ts";
import { type MemoryContext, ownProject } from "../../pipeline/context.ts";
import { readSession } from "../../pipeline/find-session.ts";

const trailerKeys = ["Thoughtbox-Session", "Agent-Session", "Entire-Checkpoint"] as const;
const checkpointBranches = ["entire/checkpoints/v1", "origin/entire/checkpoints/v1"];
/** The maximum number of trailers to read, because each trailer in an untrusted message may start git. */
const mostTrailers = 20;

export async function sessionsOfTrailers(
  memory: MemoryContext<never>,
  repository: Repository,
  { trailers }: Commit,
) {
  const sessions = new Set<string>();
  const unknown: string[] = [];
  const ours = trailers.flatMap(({ key, value }) => {
    const kind = trailerKeys.find((one) => one.toLowerCase() === key.toLowerCase());
    return kind ? [{ kind, value }] : [];
  });
  for (const { kind, value } of ours.slice(0, mostTrailers)) {
    const names = kind === "Entire-Checkpoint" ? await sessionsOfCheckpoint(repository, value) : [value];
    const ids = names.flatMap((name) => (kind === "Thoughtbox-Session" ? [name] : sessionsNamed(name)));
    const found: string[] = [];
    for (const id of ids) if (isSessionId(id) && (await isOwnSession(memory, id))) found.push(id);
    for (const id of found) sessions.add(id);
    if (found.length === 0) unknown.push(`${kind}: ${clipWhole(value, 100)}`);
  }
  return { sessions: [...sessions], unknown };
}

const isSessionId = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id);

async function isOwnSession(
  { ledger, settings, caller }: MemoryContext<never>,
  id: string,
): Promise<boolean> {
  const record = await readSession(ledger, settings, id);
  return record?.session.project === ownProject(caller, settings);
}

/** Returns the possible session IDs. A conversation may be written as `client/id` or `client:id`. */
function sessionsNamed(name: string): string[] {
  const id = name.replace(/^[a-z-]+[/:]/i, "").toLowerCase();
  return [id, ...transcriptFormats.map((format) => sessionIdOf(format, id, "all"))];
}

const checkpointForm = /^[0-9a-f]{6,64}$/;

async function sessionsOfCheckpoint(repository: Repository, id: string): Promise<string[]> {
  if (!checkpointForm.test(id)) return [];
  const folder = `${id.slice(0, 2)}/${id.slice(2)}`;
  const names = checkpointBranches.flatMap((branch) =>
    ["", "0/", "1/", "2/", "3/"].map((part) => `${branch}:${folder}/${part}metadata.json`),
  );
  const texts = await repository.readTexts(names);
  const ids = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/"session_?id"\s*:\s*"([^"\\]{1,200})"/gi)].map(([, found = ""]) =>
      found.replace(/^\d{4}-\d{2}-\d{2}-/, ""),
    ),
  );
  return [...new Set(ids)];
}

export async function describeNamed(
  memory: MemoryContext<never>,
  repository: Repository,
  id: string,
  shown: ReadonlySet<string>,
): Promise<string | undefined> {
  const commit = (await repository.readCommits([id])).get(id);
  const { sessions } = commit ? await sessionsOfTrailers(memory, repository, commit) : { sessions: [] };
  const named: string[] = [];
  for (const sessionId of sessions.filter((one) => !shown.has(one))) {
    const title = (await memory.ledger.readSession(sessionId))?.session.title;
    named.push(title === undefined ? sessionId : `${sessionId} (${quote(clipWhole(title, 80), 81)})`);
  }
  if (named.length === 0) return undefined;
  return `The commit message refers to ${named.length === 1 ? "session" : "sessions"} ${named.join(", ")}.`;
}
