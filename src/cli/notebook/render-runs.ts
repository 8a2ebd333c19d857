import { count } from "../../kernel/numbers.ts";
import { visible } from "../../kernel/text.ts";
import type { RenderContext } from "../rendering/render-context.ts";
import { renderMark, renderStatement } from "../rendering/statement.ts";
import { shortId } from "../rendering/words.ts";
import type { CellRuns } from "./run-cells.ts";

type CellRun = CellRuns["ran"][number];

export function renderRuns({ ran, notRun, status }: CellRuns, context: RenderContext): string[] {
  if (ran.length === 0) return ["The notebook has no code cell to run."];
  const sandbox = ran.at(-1)?.cell.run?.sandbox ?? "unknown";
  const mark = status === "failed" ? "bad" : "good";
  return [
    ...ran.flatMap((run) => renderRun(run, context)),
    ...renderStatement(mark, `${countRuns({ ran, notRun })}. Sandbox: ${sandbox}.`, context),
  ];
}

function countRuns({ ran, notRun }: Pick<CellRuns, "ran" | "notRun">): string {
  const failed = ran.filter(({ status }) => status === "failed").length;
  if (failed + notRun === 0) return `${count(ran.length, "cell")} passed`;
  return [
    `${ran.length - failed} of ${count(ran.length + notRun, "cell")} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(notRun > 0 ? [`${notRun} did not run`] : []),
  ].join(", ");
}

function renderRun({ status, output, error, cell, recorded }: CellRun, context: RenderContext): string[] {
  const { paint } = context;
  const { durationMs, exitCode, value, displays = [], stoppedBy } = cell.run ?? {};
  const facts = [
    ...(durationMs === undefined ? [] : [`${durationMs} ms`]),
    ...(status === "failed" && exitCode ? [`exit ${exitCode}`] : []),
    ...(stoppedBy === undefined ? [] : [`ended for ${stoppedBy}`]),
    ...(recorded ? [`recorded as ${shortId(recorded.sessionId)}:${recorded.thoughtNumber}`] : []),
  ].join(" · ");
  const name = cell.filename ?? cell.id;
  return [
    `${renderMark(status === "failed" ? "bad" : "good", context)} ${paint.bold(name)}  ${paint.dim(facts)}`,
    ...block(output),
    ...(value === undefined ? [] : block(value).map(paint.cyan)),
    ...displays.flatMap(({ mime, data }) =>
      mime === "image/png" ? [paint.dim(`  ${mime}, ${data.length} characters of base64`)] : block(data),
    ),
    ...(error === null ? [] : block(error).map(paint.red)),
    "",
  ];
}

/** What a cell printed acts on nobody's terminal. */
const block = (text: string): string[] =>
  text.trimEnd() === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => `  ${visible(line)}`);
