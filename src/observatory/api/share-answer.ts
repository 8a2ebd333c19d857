import type { ServerResponse } from "node:http";
import type { Session } from "../../domain/ledger/session.ts";
import { type CellLink, cellLink, findCellLink } from "../../domain/notebook/cell-link.ts";
import { createCountingMask, maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { thoughtsAfter } from "../session/session-shelf.ts";
import { toStory } from "../session/story.ts";
import { toWireSession, toWireThought } from "../session/to-wire.ts";
import type { ShareAnswer } from "../wire.ts";
import type { ReadRemarks } from "./beside-thoughts.ts";
import { readCell } from "./notebooks/cell-answer.ts";
import { findSession, readChain, type SessionSource } from "./session-answers.ts";

/** Writes a session thought by thought as the client reads, because a session may not fit into RAM. */
export async function sendShare(
  shown: SessionSource & { readRemarks: ReadRemarks },
  sessionId: string,
  res: ServerResponse,
  now: Date,
): Promise<void> {
  // The file may be passed on to others, so it is masked even if the viewer sees secrets.
  const source = { ...shown, mask: maskForExport };
  const counting = createCountingMask();
  const { mask } = counting;
  const links = new Map<string, CellLink>();
  const session = await findSession(source, sessionId);
  const columns = await source.shelf.take(sessionId);
  const story = toStory(columns);
  res.writeHead(200, { "Content-Type": "application/json; charset=utf-8" });
  if (res.req.method === "HEAD") return void res.end();
  const opening = {
    session: {
      ...toWireSession(session, mask),
      project: mask(session.project),
      ...(story && { story: maskForExport(story) }),
    },
  };
  let waiting = `${JSON.stringify(opening).slice(0, -1)},"thoughts":[`;
  for await (const entry of thoughtsAfter(source.ledger, sessionId, 0)) {
    if (res.destroyed) return;
    columns.add(entry);
    const link = findCellLink(entry.data.thought);
    if (link && links.size < maxCells) links.set(cellLink(link), link);
    const text = JSON.stringify(toWireThought(entry, columns, { mask, whole: true }));
    waiting += entry.position === 1 ? text : `,${text}`;
    if (waiting.length < writeAtOnce) continue;
    await write(res, waiting);
    waiting = "";
  }
  await write(res, `${waiting}],"cells":{`);
  await writeCells(source, session, links, res);
  const closing: Omit<ShareAnswer, "session" | "thoughts" | "cells"> = {
    remarks: (await shown.readRemarks(sessionId)).map(({ comments, ...remarks }) => ({
      ...remarks,
      comments: comments.map(({ text, ...comment }) => ({ ...comment, text: mask(text) })),
    })),
    chain: await readChain(source, sessionId),
    secretsMasked: counting.count,
    exportedAt: now.toISOString(),
  };
  res.end(`},${JSON.stringify(closing).slice(1)}`);
}

const writeAtOnce = 64 * 1024;

/** The maximum number of runs. Hardly any session records more, and each may contain images. */
const maxCells = 100;
const cellsChars = 16 * 1024 * 1024;

/** Writes the runs that thoughts link to. Omits missing runs. */
async function writeCells(
  source: SessionSource,
  session: Session,
  links: ReadonlyMap<string, CellLink>,
  res: ServerResponse,
): Promise<void> {
  let chars = 0;
  for (const [address, link] of links) {
    const cell = await readCell(source, session, link).catch(() => undefined);
    if (cell === undefined) continue;
    const text = JSON.stringify(cell);
    const isFirst = chars === 0;
    chars += text.length;
    if (chars > cellsChars || res.destroyed) return;
    await write(res, `${isFirst ? "" : ","}${JSON.stringify(address)}:${text}`);
  }
}

/** Resolves when there is room for more, or when the client has disconnected. */
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
