import { count } from "../../kernel/numbers.ts";
import type { NotebookRepair } from "../../ports/notebook/notebook-archive.ts";
import type { RepairReport } from "../../ports/tree.ts";
import { toFailure } from "../failure.ts";
import { proseWidth, type RenderContext } from "../rendering/render-context.ts";
import {
  indented,
  type Mark,
  renderMark,
  renderShortList,
  renderStatement,
  repeatPlace,
} from "../rendering/statement.ts";
import { isWholeCommand, pad, textWidth, wrap } from "../rendering/width.ts";
import { oneLine, shortId } from "../rendering/words.ts";

export type Check = {
  name: string;
  state: Mark;
  says: string;
  next?: string;
};

export function good(name: string, says: string): Check {
  return { name, state: "good", says };
}

/** Turns an error into a finding. A bug is not a finding and is thrown again. */
export function badBecause(name: string, thrown: unknown): Check {
  const failure = toFailure(thrown);
  if (!failure) throw thrown;
  return { name, state: "bad", says: failure.message, ...(failure.next && { next: failure.next }) };
}

const nameWidth = 9;

export function renderChecks(checks: readonly Check[], context: RenderContext): string[] {
  const bad = checks.filter(({ state }) => state === "bad").length;
  const worth = checks.filter(({ state }) => state === "look").length;
  const verdict =
    bad > 0
      ? `${count(bad, "thing")} to fix.`
      : worth > 0
        ? `Nothing is broken. ${count(worth, "thing")} worth a look.`
        : "All is well.";
  return [...checks.flatMap((check) => renderCheck(check, context)), "", context.paint.bold(verdict)];
}

function renderCheck({ name, state, says, next: bare }: Check, context: RenderContext): string[] {
  const next = bare === undefined ? undefined : repeatPlace(bare, context.place);
  const { paint } = context;
  const indent = " ".repeat(nameWidth + 4);
  const room = Math.min(context.width, proseWidth) - indent.length;
  const [first = "", ...rest] = wrap(oneLine(says), room);
  const advice = next === undefined ? [] : isWholeCommand(next) ? [`→ ${next}`] : wrap(`→ ${next}`, room);
  return [
    `${renderMark(state, context)} ${pad(name, nameWidth)}  ${state === "none" ? paint.dim(first) : first}`,
    ...rest.map((line) => indent + line),
    ...advice.map((line) => (textWidth(line) > room ? "  " : indent) + paint.cyan(line)),
  ];
}

export function renderRepair(
  { checked, repaired, quarantined, failed, notebooks }: RepairReport & { notebooks: NotebookRepair },
  context: RenderContext,
): string[] {
  const alsoSeen = notebooks.checked > 0 ? ` and ${count(notebooks.checked, "notebook")}` : "";
  const alsoWritten = notebooks.checked > 0 ? ` and ${count(notebooks.repaired.length, "notebook")}` : "";
  const summary = `Checked ${count(checked, "session")}${alsoSeen}, rewrote ${count(repaired.length, "session")}${alsoWritten}, deleted nothing.`;
  // A repair moves all bad files into one folder.
  const place = (quarantined[0]?.movedTo ?? notebooks.setAside[0])?.split("/").slice(0, 2).join("/");
  const details = [
    ...quarantined.map(({ path }) => `set aside ${path}`),
    ...notebooks.setAside.map((path) => `set aside ${path.split("/").slice(2).join("/")}`),
    ...failed.map(({ sessionId, reason }) => `could not repair ${shortId(sessionId)}: ${reason}`),
  ];
  return [
    ...renderStatement(failed.length > 0 ? "bad" : "good", summary, context),
    ...renderShortList(details, context),
    ...(place === undefined
      ? []
      : indented(`Files moved aside are in ${place}`, context).map(context.paint.dim)),
    "",
  ];
}
