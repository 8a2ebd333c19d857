import type { RepairReport } from "../../ports/tree.ts";
import { type Look, proseWidth } from "../look/look.ts";
import { pad, wrap } from "../look/width.ts";
import { count, oneLine, shortId } from "../look/words.ts";
import type { Check, CheckState } from "./check.ts";

const nameWidth = 8;
const listed = 10;

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
    `${symbol(state, look)} ${pad(name, nameWidth)}  ${state === "none" ? paint.dim(first) : first}`,
    ...rest.map((line) => indent + line),
    ...(next === undefined ? [] : wrap(`→ ${next}`, room).map((line) => indent + paint.cyan(line))),
  ];
}

function symbol(state: CheckState, { paint }: Look): string {
  switch (state) {
    case "good":
      return paint.green("✓");
    case "look":
      return paint.yellow("!");
    case "bad":
      return paint.red("✗");
    case "none":
      return paint.dim("·");
  }
}

export function renderRepair({ checked, repaired, quarantined, failed }: RepairReport, look: Look): string[] {
  const { paint, width } = look;
  const lines = [
    ...quarantined.map(({ path, movedTo }) => `set aside ${path} → ${movedTo}`),
    ...failed.map(({ sessionId, reason }) => `could not repair ${shortId(sessionId)}: ${reason}`),
  ];
  const rest = lines.length - listed;
  return [
    `${failed.length > 0 ? paint.red("✗") : paint.green("✓")} Looked at ${count(checked, "session")}, wrote ${count(repaired.length, "session")} anew, deleted nothing.`,
    ...lines
      .slice(0, listed)
      .flatMap((line) => wrap(oneLine(line), Math.min(width, proseWidth) - 2).map((part) => `  ${part}`)),
    ...(rest > 0 ? [paint.dim(`  and ${rest} more (--json has all)`)] : []),
    "",
  ];
}
