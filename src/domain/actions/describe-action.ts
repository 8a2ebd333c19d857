import { count } from "../../kernel/numbers.ts";
import { clipWhole, maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { escapeInvisible, visible } from "../../kernel/text.ts";
import type { Address } from "../ledger/thought.ts";
import { describeAddress } from "../ledger/thought.ts";
import type { Action, Change, TestResults } from "./action.ts";
import type { KeptAction } from "./kept-action.ts";

/**
 * Describes an action on one line, for example "edited src/pool.ts (+3 −1)", or "`npm test` failed with exit
 * status 1".
 */
export function describeAction(action: Action): string {
  switch (action.type) {
    case "edit": {
      const verb = { edit: "edited", create: "wrote", delete: "deleted" }[action.change];
      const moved = action.from === undefined ? "" : ` (moved from ${visible(action.from)})`;
      return `${verb} ${visible(action.path)}${moved}${linesOf(action)}`;
    }
    case "command": {
      const { failed, exit, tests, results, commit } = action;
      const status = exit === undefined ? "" : ` with exit status ${exit}`;
      const counted = results ? ` (${describeResults(results)})` : "";
      const outcome = failed ? ` failed${status}${counted}` : tests ? ` passed${counted}` : "";
      return `${quoted(action.command)}${outcome}${commit === undefined ? "" : `, commit ${commit}`}`;
    }
    case "refusal": {
      const said = action.said === "" ? "" : `: ${clipWhole(visible(action.said), 200)}`;
      return `the user refused ${quoted(action.command)}${said}`;
    }
    case "read":
      return `read ${describePaths(action.paths)}`;
    case "fork":
      return `continues a copy of session ${visible(action.origin.slice(0, 8))}`;
    case "commit": {
      const { commit, command, fate, now } = action;
      const moved = now === undefined ? "" : ` as ${now.slice(0, 12)}`;
      const became =
        fate === undefined ? "" : fate === "rebased" ? `, rebased${moved}` : ", no longer reachable";
      return `commit ${commit.slice(0, 12)} ${quoted(command)}${became}`;
    }
    case "notice": {
      const said = clipWhole(visible(action.said), 200);
      return `Thoughtbox ${action.denied ? "stopped" : "commented on"} ${quoted(action.command)}: ${said}`;
    }
    case "record": {
      const { sessionId, ...address } = action.recorded;
      return `recorded ${describeAddress(address)} of session ${visible(sessionId.slice(0, 8))}`;
    }
  }
}

/** Returns text such as `2 of 31 tests failed` or `31 tests`. */
const describeResults = ({ failed, passed }: TestResults): string =>
  failed > 0 ? `${failed} of ${count(failed + passed, "test")} failed` : count(passed, "test");

const namedPaths = 3;

/** Returns text such as `a.ts`, `2 files: a.ts, b.ts` or `9 files: a.ts, b.ts, c.ts, …`. */
function describePaths(paths: readonly string[]): string {
  if (paths.length === 1) return visible(paths[0] ?? "");
  const names = paths.slice(0, namedPaths).map((path) => visible(path.slice(path.lastIndexOf("/") + 1)));
  return `${count(paths.length, "file")}: ${[...names, ...(paths.length > namedPaths ? ["…"] : [])].join(", ")}`;
}

const quoted = (command: string): string => `\`${visible(command).replaceAll("`", "'")}\``;

function linesOf({ lines, removed }: Change): string {
  const written = lines.filter((line) => line.written).length;
  const signs = [
    ...(written > 0 ? [`+${written}`] : []),
    ...(removed.length > 0 ? [`−${removed.length}`] : []),
  ];
  return signs.length === 0 ? "" : ` (${signs.join(" ")})`;
}

const mostListed = 500;

/** Formats actions as a section of an export. Masks secrets, because exports are shared. */
export function actionSection(actions: readonly KeptAction[]): string {
  const shown = actions.slice(0, mostListed);
  return [
    "## Actions",
    "",
    ...shown.map(
      (action) =>
        `- ${action.at.slice(0, 16).replace("T", " ")} ${toMarkdown(action)}${placeOf(action.after)}`,
    ),
    ...(actions.length > shown.length
      ? [`- … and ${count(actions.length - shown.length, "more action")}`]
      : []),
    "",
  ].join("\n");
}

const toMarkdown = (action: Action): string =>
  escapeInvisible(maskForExport(describeAction(action)))
    .replaceAll("<", "&lt;")
    .replaceAll(/\[|\]/g, "\\$&");

const placeOf = (after: Address | undefined): string => (after ? ` (after ${describeAddress(after)})` : "");
