import type { ServerResponse } from "node:http";
import type { ChainedThought } from "../../domain/ledger/thought.ts";
import { type CellLink, cellLink, findCellLink } from "../../domain/notebook/cell-link.ts";
import { countSecrets, maskForOthers } from "../../kernel/secrets/secrets-policy.ts";
import { readAtOnce } from "../session/session-shelf.ts";
import { toStory } from "../session/story.ts";
import { toWireSession, toWireThought } from "../session/to-wire.ts";
import type { ShareAnswer } from "../wire.ts";
import { readCell } from "./cell-answer.ts";
import { findSession, readChain, type SessionSource } from "./session-answers.ts";

/** Written thought by thought as the client takes it: a session may be larger than the memory we want to use. */
export async function sendShare(
  shown: SessionSource,
  sessionId: string,
  res: ServerResponse,
  now: Date,
): Promise<void> {
  // A file that is handed on is for others, whatever the viewer may see.
  const source = { ...shown, mask: maskForOthers };
  const { mask, ledger } = source;
  const links = new Map<string, CellLink>();
  const session = await findSession(source, sessionId);
  const columns = await source.shelf.take(sessionId);
  const story = toStory(columns);
  let secrets = countAll([session.title, session.description ?? "", session.project, ...session.tags]);
  res.writeHead(200, { "Content-Type": "application/json; charset=utf-8" });
  const opening = {
    session: {
      ...toWireSession(session, mask),
      project: mask(session.project),
      ...(story && { story: mask(story) }),
    },
  };
  res.write(`${JSON.stringify(opening).slice(0, -1)},"thoughts":[`);
  for (let after = 0; !res.destroyed; ) {
    const entries = await ledger.readEntries(sessionId, after, readAtOnce);
    const texts = entries.map((entry) => {
      columns.add(entry);
      secrets += countAll(textsOf(entry));
      const link = findCellLink(entry.data.thought);
      if (link && links.size < maxCells) links.set(cellLink(link), { sessionId, ...link });
      return JSON.stringify(toWireThought(entry, columns, { mask, whole: true }));
    });
    if (texts.length > 0) await write(res, (after === 0 ? "" : ",") + texts.join(","));
    after = entries.at(-1)?.position ?? after;
    if (entries.length < readAtOnce) break;
  }
  const closing: Omit<ShareAnswer, "session" | "thoughts"> = {
    cells: await readCells(source, links),
    chain: await readChain(source, sessionId),
    secretsMasked: secrets,
    exportedAt: now.toISOString(),
  };
  res.end(`],${JSON.stringify(closing).slice(1)}`);
}

/** More runs than that are recorded in hardly any session, and each may hold pictures. */
const maxCells = 100;
const cellsChars = 16 * 1024 * 1024;

/** The runs that thoughts were recorded of, by the links that the thoughts hold; what is gone is left out. */
async function readCells(source: SessionSource, links: ReadonlyMap<string, CellLink>) {
  const cells: ShareAnswer["cells"] = {};
  let chars = 0;
  for (const [address, link] of links) {
    const cell = await readCell(source, link).catch(() => undefined);
    chars += cell === undefined ? 0 : JSON.stringify(cell).length;
    if (chars > cellsChars) break;
    if (cell !== undefined) cells[address] = cell;
  }
  return cells;
}

const textsOf = ({ data }: ChainedThought): string[] => [
  data.thought,
  data.agentId ?? "",
  ...(data.critique ? [data.critique.text, data.critique.model] : []),
];

const countAll = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + countSecrets(text), 0);

/** Resolves when there is room for more, or nobody listens any longer. */
function write(res: ServerResponse, text: string): Promise<void> {
  if (res.write(text) || res.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      res.off("drain", done).off("close", done);
      resolve();
    };
    res.on("drain", done).on("close", done);
  });
}
