import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { nodeId } from "../../../domain/ledger/thought.ts";
import { isFallen, readDecisionThought } from "../../../domain/memory/decisions/decision.ts";
import { shorten } from "../../../domain/recall/compose-recall.ts";
import { isTellingRefusal } from "../../../domain/recall/kind-of-sentence.ts";
import type { Remark } from "../../../domain/recall/remarks.ts";
import { fateOfRequest, type RequestFate } from "../../../domain/recall/request-fate.ts";
import { standingRemarks, undoneRemarks } from "../../../domain/recall/standing-remarks.ts";
import { fileName, pathEnds, repositoryPath } from "../../../domain/why/known-edits.ts";
import type { KeptAction } from "../../../ports/actions.ts";
import type { SearchHit } from "../../../ports/ledger-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { ownTranscript } from "../../pipeline/find-session.ts";
import { checkoutOrDefault } from "../scope.ts";
import { findOwnRepository, findPaths } from "../why/find-subject.ts";

export const thoughtsOfSession = 200;
const [around, actionsOfSession] = [12, 500];
/** The maximum length of a refused command. It is short because the user's words matter more. */
const longestCommand = 80;

type SessionHits = { session: NonNullable<SearchHit["session"]>; hits: SearchHit[] };
type Edit = Extract<KeptAction, { type: "edit" }>;

export type ReadSession = SessionHits & {
  thoughts: ChainedThought[];
  /** The session's statements, refusals in the user's words, and edits that the session reverted and rejected. */
  remarks: Remark[];
  edits: Edit[];
  /** `undefined` if the request was carried out. */
  fateOf(request: string): RequestFate | undefined;
};

/** Reads the sessions that contain hits, ordered by their best hit. */
export const readSessions = (memory: MemoryContext, hits: readonly SearchHit[]): Promise<ReadSession[]> =>
  Promise.all(groupHits(hits).map((found) => readSessionOf(memory, found)));

/**
 * Omits what was captured from the caller's own conversation since the user's newest request. The agent still
 * knows that request, but may have lost earlier ones when its context was compacted.
 */
export async function omitOwnRequest(
  { ledger, caller }: MemoryContext,
  hits: readonly SearchHit[],
): Promise<SearchHit[]> {
  const own = ownTranscript(caller);
  if (own === undefined || !hits.some(({ session }) => session?.id === own)) return [...hits];
  const newest = await ledger.readLatest(own, undefined, thoughtsOfSession);
  const request = newest.findLast(({ data }) => data.agentId === "user")?.data.thoughtNumber ?? 1;
  return hits.filter(
    ({ session, address }) => session?.id !== own || (address?.thoughtNumber ?? 1) < request,
  );
}

function groupHits(hits: readonly SearchHit[]): SessionHits[] {
  const groups = new Map<string, SessionHits>();
  for (const hit of hits) {
    if (!hit.session) continue;
    const group = groups.get(hit.session.id) ?? { session: hit.session, hits: [] };
    group.hits.push(hit);
    groups.set(hit.session.id, group);
  }
  return [...groups.values()];
}

async function readSessionOf(memory: MemoryContext, found: SessionHits): Promise<ReadSession> {
  const { ledger, actions } = memory;
  const { id } = found.session;
  const places = found.hits.flatMap(({ address, revisedBy }) => [
    ...(address ? [address] : []),
    ...(revisedBy ? [revisedBy] : []),
  ]);
  const pages = await Promise.all([
    ledger.readLatest(id, undefined, thoughtsOfSession),
    ...places.map(({ branchId, thoughtNumber }) =>
      ledger.readThoughts(id, {
        branchId,
        select: "range",
        from: Math.max(1, thoughtNumber - around),
        to: thoughtNumber + around,
        count: 2 * around + 1,
      }),
    ),
  ]);
  const byPosition = new Map(pages.flat().map((thought) => [thought.position, thought]));
  const { thoughts, reversed } = await withoutReversed(
    memory,
    [...byPosition.values()].sort((a, b) => a.position - b.position),
  );
  const read = async <Type extends KeptAction["type"]>(type: Type) =>
    (await actions.readOfSession(id, { after: 0, limit: actionsOfSession, type })).flatMap(({ action }) =>
      action.type === type ? [action as Extract<KeptAction, { type: Type }>] : [],
    );
  const [refused, edits] = await Promise.all([read("refusal"), read("edit")]);
  const short = id.slice(0, 8);
  const refusals = refused
    .filter(({ said }) => isTellingRefusal(said))
    .map(({ said, command, at, after }): Named => {
      const [, tool = "", path] = /^(\w+) (\/\S.*|[a-z]:\\\S.*)$/is.exec(command) ?? [];
      const place = after ? nodeId(short, after) : short;
      return {
        remark: { kind: "corrected", text: "", said, at, author: "user", id: place },
        path,
        wordWith: (name) =>
          `refused ${shorten(name === undefined ? nameCommand(command) : `${tool} ${name}`, longestCommand)}: ${said}`,
      };
    });
  const undone = undoneRemarks(edits, thoughts).map(
    ({ path, ...remark }): Named => ({
      remark,
      path,
      wordWith: (name) => `undone in ${name}: ${remark.text}`,
    }),
  );
  const stated = standingRemarks(thoughts);
  const textsOf = (isOfUser: boolean) =>
    stated.flatMap(({ author, text }) => ((author === "user") === isOfUser ? [text] : []));
  const saidBefore = new Map(thoughts.map(({ data }) => [nodeId("", data), data.thought]));
  const delivered = [
    ...stated.filter(({ author, kind }) => author !== "user" && kind === "decided"),
    ...edits.map(({ path, after, at }) => ({
      text: `${fileName(path)} ${(after && saidBefore.get(nodeId("", after))) ?? ""}`,
      at,
    })),
  ];
  const answered = { refused, corrected: textsOf(true), decided: textsOf(false), delivered, reversed };
  return {
    ...found,
    thoughts,
    edits,
    remarks: [...stated, ...(await nameFiles(memory, [...refusals, ...undone]))],
    fateOf: (request) => fateOfRequest(request, answered),
  };
}

/** ExitPlanMode is the tool with which Claude Code presents a plan. */
const nameCommand = (command: string): string => (command === "ExitPlanMode" ? "the plan" : command);

/** A remark whose text contains the path of a file. */
type Named = { remark: Remark; path: string | undefined; wordWith(name: string | undefined): string };

/**
 * Shows a file in the caller's repository by its path in the repository. Shortens any other path to its last
 * two names.
 */
async function nameFiles(memory: MemoryContext, named: readonly Named[]): Promise<Remark[]> {
  const paths = named.flatMap(({ path }) => path ?? []);
  const repository = paths.length === 0 ? undefined : await findOwnRepository(memory);
  const known = new Set(repository && (await findPaths(repository, paths)));
  const root = repository && `${repository.root}/`;
  const nameOf = (path: string): string => {
    const found = repositoryPath(path, (end) => known.has(end));
    if (found !== undefined) return found;
    if (root !== undefined && path.startsWith(root)) return path.slice(root.length);
    return /^(?:[/\\]|[a-z]:)/i.test(path) ? `…/${pathEnds(path).slice(-2)[0]}` : path;
  };
  return named.map(({ remark, path, wordWith }) => ({
    ...remark,
    text: wordWith(path === undefined ? undefined : nameOf(path)),
  }));
}

const decisionsOfSession = 20;

/** Drops reversed decisions, because their cards show them with the replacement. */
async function withoutReversed(
  memory: MemoryContext,
  thoughts: readonly ChainedThought[],
): Promise<{ thoughts: ChainedThought[]; reversed: string[] }> {
  const recorded = (data: ChainedThought["data"]) => readDecisionThought(data.thought);
  const named = thoughts.flatMap(({ data }) => recorded(data)?.id ?? []);
  const branch = checkoutOrDefault({ ...memory, writes: false });
  const fallen = new Set<string>();
  for (const id of memory.state ? named.slice(-decisionsOfSession) : []) {
    const found = await memory.memory.findNode(memory.workspace, branch, id, 0);
    if (found?.node.kind === "node" && isFallen(found.node)) fallen.add(id);
  }
  const isFallenOne = ({ data }: ChainedThought) => fallen.has(recorded(data)?.id ?? "");
  return {
    thoughts: thoughts.filter((one) => !isFallenOne(one)),
    reversed: thoughts.filter(isFallenOne).flatMap(({ data }) => recorded(data)?.title ?? []),
  };
}

/** Finds the files in the caller's repository that were edited near the hits. */
export async function filesNear(
  memory: MemoryContext,
  sessions: readonly ReadSession[],
): Promise<ReadonlySet<string>[]> {
  const near = sessions.map(({ hits, edits }) => {
    const numbers = hits.flatMap(({ address }) => (address ? [address] : []));
    return edits
      .filter(({ after }) =>
        numbers.some(
          ({ branchId, thoughtNumber }) =>
            after?.branchId === branchId && Math.abs((after?.thoughtNumber ?? 0) - thoughtNumber) <= around,
        ),
      )
      .map(({ path }) => path);
  });
  if (near.every((paths) => paths.length === 0)) return [];
  const repository = await findOwnRepository(memory);
  if (!repository) return [];
  return Promise.all(near.map(async (paths) => new Set(await findPaths(repository, paths))));
}
