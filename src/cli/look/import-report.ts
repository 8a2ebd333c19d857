import type { ImportReport } from "../../ports/ledger-import.ts";
import { type Look, proseWidth } from "./look.ts";
import { wrap } from "./width.ts";
import { count, oneLine } from "./words.ts";

/** Longer lists say how many there are; `--json` has them all. */
const listed = 10;

export type ShownReport = Pick<
  ImportReport,
  "sessions" | "imported" | "continued" | "unchanged" | "thoughts" | "refused" | "warnings"
> & {
  /** Files or lines that nothing could be made of. */
  passedOver: readonly { path: string; problem: string }[];
};

/** The same report for everything that brings sessions in. */
export function renderImportReport(report: ShownReport, look: Look): string[] {
  const { paint } = look;
  const { imported, continued, unchanged, refused, passedOver, warnings } = report;
  if (report.sessions === 0) return ["No sessions were found there."];
  const outcome = [
    ...(imported > 0 ? [`${imported} new`] : []),
    ...(continued > 0 ? [`${continued} continued`] : []),
    ...(unchanged > 0 ? [`${unchanged} already there`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ].join(", ");
  const mark =
    refused.length > 0 ? paint.red("✗") : passedOver.length > 0 ? paint.yellow("!") : paint.green("✓");
  return [
    `${mark} ${count(report.sessions, "session")}: ${outcome}. ${count(report.thoughts, "thought")} added.`,
    ...section(
      "Refused: the store holds something else under these ids",
      refused,
      ({ path, reason }) => `${path}: ${reason}`,
    ),
    ...section("Passed over", passedOver, ({ path, problem }) => `${path} ${problem}`),
    ...section("Worth knowing", warnings, ({ path, message }) => `${path}: ${message}`),
  ];

  function section<Item>(title: string, items: readonly Item[], describe: (item: Item) => string): string[] {
    if (items.length === 0) return [];
    const width = Math.min(look.width, proseWidth) - 4;
    const shown = items
      .slice(0, listed)
      .flatMap((item) =>
        wrap(oneLine(describe(item)), width).map((line, index) =>
          index === 0 ? `  ${line}` : `    ${line}`,
        ),
      );
    const rest = items.length - listed;
    return [
      "",
      paint.bold(title),
      ...shown,
      ...(rest > 0 ? [paint.dim(`  and ${rest} more (--json has all)`)] : []),
    ];
  }
}
