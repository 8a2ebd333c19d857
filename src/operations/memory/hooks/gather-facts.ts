import { isAbsolute, join, relative, sep } from "node:path";
import type { Change, Refusal } from "../../../domain/actions/action.ts";
import { type FileChange, readIntended, type ToolCall } from "../../../domain/actions/read-actions.ts";
import { compareTexts } from "../../../domain/actions/read-patch.ts";
import { isPinned } from "../../../domain/memory/cards/card.ts";
import { namesOf } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { fileName, gatherEdits, pathEnds } from "../../../domain/why/known-edits.ts";
import { findLost, isWorthSaying, lostBounds } from "../../../domain/why/lost-lines.ts";
import type { Fact } from "../../../domain/why/word-facts.ts";
import { maskForExport } from "../../../kernel/secrets/secrets-policy.ts";
import type { StoredAction } from "../../../ports/actions.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { readReasons } from "../why/read-reason.ts";
import { projectOf } from "./hook-fields.ts";

export type Intent = {
  call: ToolCall;
  /** The client's working directory. If the directory is unknown, no file is read. */
  cwd: string | undefined;
  own: ReadonlySet<string>;
};

const most = { files: 5, changes: 300, refusals: 50, cards: 3 } as const;
const refusedMs = 7 * 24 * 60 * 60_000;
const reasonChars = 240;

/**
 * Gathers facts without guessing. Each fact is based on identical lines, an identical call, or a rule or dead
 * end that someone marked for the file.
 */
export async function gatherFacts(memory: MemoryContext, intent: Intent): Promise<Fact[]> {
  const intended = readIntended(intent.call).slice(0, most.files);
  const facts: Fact[] = [];
  if (intended.length === 0) facts.push(...(await findRefusedCommand(memory, intent.call)));
  for (const [nth, change] of intended.entries()) {
    const path = pathWithin(change.path, intent.cwd);
    const query = { files: [fileName(path)], limit: most.changes };
    const changes = await memory.actions.findChanges(projectOf(memory.settings, memory.caller), query);
    if (nth === 0)
      facts.push(...findRefused(memory, changes, ({ change: before }) => isSameChange(before, change)));
    const lost = await findLostLines(memory, intent, change, path, changes);
    if (lost) facts.push(lost);
    facts.push(...(await findMarks(memory, path)));
  }
  return facts;
}

/** Returns the path relative to the working directory, or the given path if it is outside. */
function pathWithin(path: string, cwd: string | undefined): string {
  const within = cwd !== undefined && isAbsolute(path) ? relative(cwd, path) : path;
  return (within.startsWith("..") ? path : within).split(sep).join("/");
}

async function findLostLines(
  memory: MemoryContext,
  { cwd, own, call }: Intent,
  change: FileChange,
  path: string,
  changes: readonly StoredAction[],
): Promise<Fact | undefined> {
  const { ledger, clock } = memory;
  const { lines, removed } = await whatItRemoves(memory, change, call, cwd);
  if (new Set(removed).size < lostBounds.runningLines) return undefined;
  const isHere = (written: string) => pathEnds(written).includes(path) || written === change.path;
  const edits = changes.flatMap(({ sessionId, action }) =>
    action.type === "edit" && isHere(action.path) ? [{ ...action, sessionId }] : [],
  );
  const inFile = gatherEdits(edits);
  const lost = findLost({ lines, removed }, inFile, own);
  if (!lost) return undefined;
  const { known } = lost;
  // The newest session that contains the edit. Only that session may still be running.
  const [place] = known.places;
  const sessionId = place?.sessionId ?? "";
  const session = (await ledger.readSession(sessionId))?.session;
  const now = clock().getTime();
  const isRunning =
    session?.status === "active" && now - Date.parse(session.updatedAt) <= lostBounds.runningMs;
  if (!isWorthSaying(lost, isRunning, now)) return undefined;
  const gone = textOf(call);
  const subject = { path, hunk: gone.slice(0, 200), near: [], line: gone[0] ?? "" };
  return {
    id: `lost ${known.lineage} ${path}`,
    kind: "lost",
    path,
    lines: lost.lines,
    sessionId,
    title: session?.title,
    at: new Date(known.time).toISOString(),
    isRunning,
    reasons: await readReasons(memory, known, place, subject, reasonChars),
  };
}

/** Returns the replaced lines, which help to choose the reason. */
function textOf({ input }: ToolCall): string[] {
  const old = input?.["old_string"];
  return typeof old === "string" ? old.split("\n") : [];
}

/** Returns the lines that a change adds and removes. Reads a file that the call overwrites or deletes. */
async function whatItRemoves(
  { repositories }: MemoryContext,
  change: FileChange,
  { input }: ToolCall,
  cwd: string | undefined,
): Promise<Pick<Change, "lines" | "removed">> {
  if (change.change === "edit" || cwd === undefined || !isAbsolute(cwd)) return change;
  const repository = await repositories.open(cwd);
  const file = isAbsolute(change.path) ? change.path : join(cwd, change.path);
  const path = repository && relative(repository.root, file).split(sep).join("/");
  const before = path === undefined ? undefined : await repository?.readWorkingFile(path);
  if (before === undefined) return change;
  const content = input?.["content"] ?? input?.["file_text"];
  if (change.change === "create" && typeof content === "string") return compareTexts(before, content);
  const { removed } = compareTexts(before, "");
  return { lines: change.lines, removed };
}

async function findRefusedCommand(memory: MemoryContext, { command }: ToolCall): Promise<Fact[]> {
  const { actions, settings, caller } = memory;
  const refusedSince = sinceWhen(memory);
  const refused = await actions.findChanges(projectOf(settings, caller), {
    refusedSince,
    limit: most.refusals,
  });
  const commands = [command, maskForExport(command)];
  return findRefused(memory, refused, ({ change, command: before }) => !change && commands.includes(before));
}

const sinceWhen = ({ clock }: MemoryContext): string => new Date(clock().getTime() - refusedMs).toISOString();

function findRefused(
  memory: MemoryContext,
  changes: readonly StoredAction[],
  isSame: (refusal: Refusal) => boolean,
): Fact[] {
  const since = sinceWhen(memory);
  for (const { sessionId, action } of changes)
    if (action.type === "refusal" && action.at >= since && isSame(action)) {
      const { at, said, call } = action;
      return [{ id: `refused ${call}`, kind: "refused", sessionId, at, said }];
    }
  return [];
}

/** Treats edits as equal if they change the same lines in the same file, even if the calls differ. */
function isSameChange(before: Change | undefined, change: FileChange): boolean {
  const written = ({ lines }: Change) => lines.flatMap((line) => (line.written ? [line.hash] : [])).join(" ");
  return (
    before !== undefined &&
    fileName(before.path) === fileName(change.path) &&
    written(before) === written(change) &&
    before.removed.join(" ") === change.removed.join(" ")
  );
}

/** Returns the rules (pinned cards) and dead ends (rejected cards) of anchors that refer to the file. */
async function findMarks({ memory, workspace, state }: MemoryContext, path: string): Promise<Fact[]> {
  if (!state) return [];
  const anchors = await memory.listAnchors(workspace);
  const names = anchors
    .filter(({ refs }) => refs.some((ref) => isRefTo(ref, path)))
    .flatMap((anchor) => namesOf(anchor));
  if (names.length === 0) return [];
  const { cards } = await memory.linkedCards(workspace, {
    checkout: state.checkout,
    facets: names.map((name) => `tag:${name}`),
    drafts: false,
    limit: 50,
  });
  return cards
    .flatMap((card): Fact[] => {
      const kind = card.status === "rejected" ? "dead_end" : isPinned(card) ? "rule" : undefined;
      const text = [card.title, card.text].filter((one) => one !== undefined).join(": ");
      const at = new Date(card.last_ts_ms).toISOString();
      return kind && text !== "" ? [{ id: `card ${card.id}`, kind, path, text, card: card.id, at }] : [];
    })
    .slice(0, most.cards);
}

/** True for any reference to the file, such as `code:src/pool.ts#L10` and `src/pool.ts`. */
const isRefTo = (ref: string, path: string): boolean => {
  const named = ref.replace(/^[a-z]{1,16}:(?:\/\/)?/, "").replace(/#.*$/, "");
  return named !== "" && (named === path || path.endsWith(`/${named}`));
};
