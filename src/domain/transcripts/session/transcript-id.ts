import { sha256Hex } from "../../../kernel/sha256.ts";
import type { TranscriptFormat } from "../entry.ts";

const uuidAtEnd = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i;

/** Both programs name the file after the session. Elsewhere the session that it tells of, and its own name. */
export function transcriptId(path: string, sessionId: string | undefined): string {
  const named = uuidAtEnd.exec(path)?.[1]?.toLowerCase();
  const fileName = path.split("/").at(-1) ?? path;
  return named ?? (sessionId === undefined ? path : `${sessionId}/${fileName}`);
}

/** The session of the ledger that a transcript becomes: always the same one. */
export function sessionIdOf(format: TranscriptFormat, id: string, include: "thinking" | "all"): string {
  const hex = sha256Hex(`transcript\n${format}\n${include}\n${id}`);
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
