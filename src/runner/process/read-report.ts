import { type Display, displayMimes } from "../../ports/notebook/cell-runner.ts";
import { cellLimits } from "../limits.ts";

export type CellReport = { displays: Display[]; value?: string; error?: string };

/** Every display, a value and an error. */
const mostMessages = cellLimits.displays + 2;
const longestHead = 64;

/**
 * What a cell's process said of itself: a line such as `text/html 17`, so many bytes of text, and so on. The cell can
 * write there too, whatever it likes: nothing of it is parsed, and reading ends at the first thing that is no message.
 */
export function readReport(bytes: Buffer): CellReport {
  const report: CellReport = { displays: [] };
  let at = 0;
  for (let read = 0; read < mostMessages; read += 1) {
    const message = messageAt(bytes, at);
    if (!message) break;
    at = message.end;
    take(report, message);
  }
  return report;
}

type Message = { kind: string; text: string; end: number };

function messageAt(bytes: Buffer, at: number): Message | undefined {
  const head = /^([a-z/]+) (\d{1,9})\n/.exec(bytes.toString("latin1", at, at + longestHead));
  if (!head) return undefined;
  const start = at + head[0].length;
  const end = start + Number(head[2]);
  return end > bytes.length
    ? undefined
    : { kind: head[1] ?? "", text: bytes.toString("utf8", start, end), end };
}

function take(report: CellReport, { kind, text }: Message): void {
  if (kind === "value") report.value = text.slice(0, cellLimits.valueCharacters);
  if (kind === "error") report.error ??= text.slice(0, cellLimits.valueCharacters);
  const mime = displayMimes.find((known) => known === kind);
  if (mime === undefined || report.displays.length >= cellLimits.displays) return;
  if (text.length <= cellLimits.displayCharacters) report.displays.push({ mime, data: text });
}
