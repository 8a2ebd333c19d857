import { type Display, displayMimes } from "../../ports/notebook/cell-runner.ts";
import { cellLimits } from "../limits.ts";

export type CellReport = { displays: Display[]; value?: string; error?: string };

/** What a cell's process said of itself. The cell can write there too: nothing in it is believed but its own output. */
export function readReport(text: string): CellReport {
  const report: CellReport = { displays: [] };
  for (const line of text.split("\n")) {
    const message = parse(line);
    if (message?.["kind"] === "value" && typeof message["text"] === "string") report.value = message["text"];
    if (message?.["kind"] === "error" && typeof message["text"] === "string")
      report.error ??= message["text"];
    if (message?.["kind"] === "display" && report.displays.length < cellLimits.displays) {
      const mime = displayMimes.find((known) => known === message["mime"]);
      const data = message["data"];
      if (mime !== undefined && typeof data === "string" && data.length <= cellLimits.displayCharacters)
        report.displays.push({ mime, data });
    }
  }
  return report;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
