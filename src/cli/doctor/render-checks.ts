import type { RepairReport } from "../../ports/tree.ts";
import { type Look, proseWidth } from "../look/look.ts";
import { renderShortList } from "../look/short-list.ts";
import { indented, renderMark, renderStatement } from "../look/statement.ts";
import { pad, wrap } from "../look/width.ts";
import { count, oneLine, shortId } from "../look/words.ts";
import type { Check } from "./check.ts";

const nameWidth = 8;

export function renderChecks(checks: readonly Check[], look: Look): string[] {
  const bad = checks.filter(({ state }) => state === "bad").length;
  const worth = checks.filter(({ state }) => state === "look").length;
  const verdict =
    bad > 0
      ? `${count(bad, "thing")} to put right.`
      : worth > 0
        ? `Nothing is wrong; ${count(worth, "thing")} worth a look.`
        : "All is well.";
  return [...checks.flatMap((check) => renderCheck(check, look)), "", look.paint.bold(verdict)];
}

function renderCheck({ name, state, says, next }: Check, look: Look): string[] {
  const { paint } = look;
  const indent = " ".repeat(nameWidth + 4);
  const room = Math.min(look.width, proseWidth) - indent.length;
  const [first = "", ...rest] = wrap(oneLine(says), room);
  return [
    `${renderMark(state, look)} ${pad(name, nameWidth)}  ${state === "none" ? paint.dim(first) : first}`,
    ...rest.map((line) => indent + line),
    ...(next === undefined ? [] : wrap(`→ ${next}`, room).map((line) => indent + paint.cyan(line))),
  ];
}

export function renderRepair({ checked, repaired, quarantined, failed }: RepairReport, look: Look): string[] {
  const summary = `Looked at ${count(checked, "session")}, wrote ${count(repaired.length, "session")} anew, deleted nothing.`;
  // Everything of one repair lies in one folder.
  const place = quarantined[0]?.movedTo.split("/").slice(0, 2).join("/");
  const details = [
    ...quarantined.map(({ path }) => `set aside ${path}`),
    ...failed.map(({ sessionId, reason }) => `could not repair ${shortId(sessionId)}: ${reason}`),
  ];
  return [
    ...renderStatement(failed.length > 0 ? "bad" : "good", summary, look),
    ...renderShortList(details, look),
    ...(place === undefined ? [] : indented(`What was set aside lies in ${place}`, look).map(look.paint.dim)),
    "",
  ];
}
