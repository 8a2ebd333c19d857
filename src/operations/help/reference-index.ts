import { stages } from "../../domain/stages/stages.ts";
import { errorCatalogue } from "../../kernel/errors.ts";
import type { Operation } from "../pipeline/operation.ts";

/** First page of the generated reference: every operation and every error code. */
export function referenceIndex(catalogue: readonly Operation[]): string {
  return [
    "# Reference",
    "",
    "Generated from the catalogue by `npm run docs`; do not edit by hand.",
    "",
    "| operation | stage | effect | what |",
    "|---|---|---|---|",
    ...catalogue.map(
      ({ name, family, stage, effect, summary }) =>
        `| [\`${name}\`](${name}.md) | ${family === "memory" ? "any" : stages[stage]} | ${effect} | ${summary} |`,
    ),
    "",
    "## Errors",
    "",
    "| code | like HTTP | meaning |",
    "|---|---|---|",
    ...Object.entries(errorCatalogue).map(
      ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
    ),
    "",
  ].join("\n");
}
