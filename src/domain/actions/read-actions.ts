import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import { visible } from "../../kernel/text.ts";
import { asList, asObject, type JsonFields, member, objectOf, textOf } from "../transcripts/json-lines.ts";
import {
  type Action,
  actionLimits,
  type Change,
  type Command,
  type Edit,
  type Recording,
  splitText,
} from "./action.ts";
import { compareTexts, readApplyPatch, readHeredocs, readHunks, readUnifiedDiff } from "./read-patch.ts";
import { readTestResults } from "./test-results.ts";

export type ToolCall = {
  id: string;
  tool: string;
  /** A one-line description of the call, for people. */
  command: string;
  input: JsonFields | undefined;
};

export type ToolResult = {
  text: string;
  failed: boolean;
  exit?: number | undefined;
  /** Data that the client recorded but did not send to the model. */
  detail?: JsonFields | undefined;
};

export type FileChange = Pick<Edit, "change"> & Change;

/** Returns the actions of a finished call, or `[]` for a read-only call. */
export function readActions(call: ToolCall, result: ToolResult): Action[] {
  const shell = shellText(call);
  const changes = findChanges(call, result, shell).filter(({ path }) => isPath(path));
  const said = readRefusal(result.text);
  const base = { call: call.id, tool: clipWhole(visible(call.tool), 200) };
  const command = clipWhole(visible(call.command), actionLimits.command);
  if (said !== undefined && result.failed) {
    const [first] = changes;
    const refusal = {
      type: "refusal",
      ...base,
      part: 0,
      command,
      said: clipWhole(said, actionLimits.said),
    } as const;
    return [first ? { ...refusal, change: withoutKind(first) } : refusal];
  }
  const failed = result.failed || result.text.startsWith("<tool_use_error>");
  const recorded = failed ? undefined : readRecording(call, result);
  if (recorded) return [{ type: "record", ...base, part: 0, recorded }];
  const ran: Command[] =
    shell === undefined
      ? []
      : [
          {
            type: "command",
            ...base,
            part: 0,
            command,
            failed,
            ...exitOf(result),
            ...readOutcome(shell, result.text),
          },
        ];
  const edits = failed ? [] : changes.slice(0, actionLimits.parts);
  return [
    ...ran,
    ...edits.map((change, index): Edit => ({ type: "edit", ...base, part: ran.length + index, ...change })),
  ];
}

const readers = new Set(["read", "read_file", "read_many_files", "notebookread", "view", "view_image"]);

/** Returns the files that a call read. Skips shell commands, which are shown as separate actions. */
export function readPaths({ tool, input }: ToolCall, { failed }: ToolResult): string[] {
  if (failed || !readers.has(tool.toLowerCase())) return [];
  const own = pathOf(input) ?? textOf(input, "absolute_path") ?? textOf(input, "notebook_path");
  const several = asList(member(input, "paths")).flatMap((path) => (typeof path === "string" ? [path] : []));
  return [...(own === undefined ? [] : [own]), ...several].filter(isPath).slice(0, actionLimits.paths);
}

/** Returns the changes that a call would make, before the call runs. */
export function readIntended(call: ToolCall): FileChange[] {
  const changes = findChanges(call, { text: "", failed: false }, shellText(call));
  return changes.filter(({ path }) => isPath(path)).slice(0, actionLimits.parts);
}

const ownTool = /(?:^|[^a-z])thought(?:$|box)/i;

/** Finds the thought's address in Thoughtbox's answer to `thought`. Each client wraps the answer differently. */
function readRecording({ tool }: ToolCall, { text }: ToolResult): Recording["recorded"] | undefined {
  if (!ownTool.test(tool)) return undefined;
  const answer = text.slice(0, 4_000).replaceAll('\\"', '"');
  const sessionId = /"sessionId"\s{0,4}:\s{0,4}"([0-9a-f]{8}-[0-9a-f-]{27})"/.exec(answer)?.[1];
  const number = /"thoughtNumber"\s{0,4}:\s{0,4}(\d{1,9})\b/.exec(answer)?.[1];
  const branchId = /"branchId"\s{0,4}:\s{0,4}"([^"\\]{1,200})"/.exec(answer)?.[1];
  if (sessionId === undefined || number === undefined || Number(number) === 0) return undefined;
  return { sessionId, thoughtNumber: Number(number), ...(branchId !== undefined && { branchId }) };
}

const exitOf = ({ exit }: ToolResult) => (exit === undefined ? {} : { exit });

const withoutKind = ({ path, from, lines, removed }: FileChange): Change => ({ path, from, lines, removed });

const isPath = (path: string): boolean =>
  path !== "" && path.length <= actionLimits.path && !path.includes("\0") && !path.includes("\n");

const refusal =
  /^The user doesn't want to (?:proceed|take this action)|^[\w ]{0,40}\brejected by (?:the )?user|^The user rejected (?:permission to use )?this|^(?:\[Operation Cancelled\] Reason: )?User (?:did not allow|denied|cancelled) (?:tool|execution)/;
const reason = /(?:the user said:\n|with the following feedback: |User feedback: )/;

/**
 * Returns the user's reason for refusing a call. Empty if the user gave no reason. `undefined` if the text is
 * an ordinary error.
 */
export function readRefusal(text: string): string | undefined {
  if (!refusal.test(text.slice(0, 200))) return undefined;
  const found = reason.exec(text);
  return found ? text.slice(found.index + found[0].length).trim() : "";
}

function findChanges(call: ToolCall, result: ToolResult, shell: string | undefined): FileChange[] {
  const { input } = call;
  switch (call.tool) {
    case "Edit":
    case "MultiEdit":
    case "edit":
    case "replace":
      return readEdit(input, result.detail);
    case "Write":
    case "create":
    case "write":
    case "write_file":
      return readWrite(input, result.detail);
    case "NotebookEdit":
    case "notebook_edit":
      return readNotebookEdit(input);
    case "apply_patch":
      return readApplyPatch(patchText(input));
    default: {
      if (shell === undefined) return [];
      const patched = /\bapply_?patch\b/.test(shell) ? readApplyPatch(shell) : [];
      return patched.length > 0 ? patched : readHeredocs(shell);
    }
  }
}

export const pathOf = (input: JsonFields | undefined): string | undefined =>
  textOf(input, "file_path") ?? textOf(input, "filePath") ?? textOf(input, "path");

/** Reads an edit, if possible from the client's own patch, which includes the user's last changes to it. */
function readEdit(input: JsonFields | undefined, detail: JsonFields | undefined): FileChange[] {
  const path = textOf(detail, "filePath") ?? pathOf(input);
  if (path === undefined) return [];
  const hunks = hunksOf(detail);
  if (hunks.length > 0) return [{ path, change: "edit", ...readHunks(hunks) }];
  const replaced = [input, ...asList(member(input, "edits")).map(asObject)].flatMap((edit) => {
    const old = textOf(edit, "old_string") ?? textOf(edit, "oldString") ?? textOf(edit, "old_str") ?? "";
    const now = textOf(edit, "new_string") ?? textOf(edit, "newString") ?? textOf(edit, "new_str") ?? "";
    return old === "" && now === "" ? [] : [compareTexts(old, now)];
  });
  const lines = replaced.flatMap((one) => one.lines);
  const removed = replaced.flatMap((one) => one.removed);
  return lines.length + removed.length === 0 ? [] : [{ path, change: "edit", lines, removed }];
}

function readWrite(input: JsonFields | undefined, detail: JsonFields | undefined): FileChange[] {
  const path = textOf(detail, "filePath") ?? pathOf(input);
  if (path === undefined) return [];
  const hunks = hunksOf(detail);
  const isNew = /^@@ -\d+,0 /m.test(textOf(detail, "unifiedDiff")?.slice(0, 4_096) ?? "");
  if (hunks.length > 0) return [{ path, change: isNew ? "create" : "edit", ...readHunks(hunks) }];
  const content = textOf(input, "content") ?? textOf(input, "file_text") ?? "";
  const isUnchanged = textOf(detail, "type") === "update" && Array.isArray(member(detail, "structuredPatch"));
  if (isUnchanged) return [];
  return [{ path, change: "create", ...compareTexts("", content) }];
}

function hunksOf(detail: JsonFields | undefined): string[][] {
  const unified = textOf(detail, "unifiedDiff");
  if (unified !== undefined) return readUnifiedDiff(unified);
  return asList(member(detail, "structuredPatch")).map((hunk) =>
    asList(member(asObject(hunk), "lines")).flatMap((line) => (typeof line === "string" ? [line] : [])),
  );
}

/** Reads an edit to a notebook cell as JSON strings. All but the last end with a line break and a comma. */
function readNotebookEdit(input: JsonFields | undefined): FileChange[] {
  const path = textOf(input, "notebook_path");
  if (path === undefined) return [];
  const source = splitText(textOf(input, "new_source") ?? "");
  const stored = source.map((line, index) =>
    index === source.length - 1 ? JSON.stringify(line) : `${JSON.stringify(`${line}\n`)},`,
  );
  return [{ path, change: "edit", ...readHunks([stored.map((line) => `+${line}`)]) }];
}

const patchText = (input: JsonFields | undefined): string =>
  textOf(input, "input") ??
  textOf(input, "patch") ??
  textOf(input, "patchText") ??
  textOf(input, "command") ??
  "";

const shells = new Set([
  "bash",
  "shell",
  "exec_command",
  "local_shell",
  "container.exec",
  "run_shell_command",
]);

/** Returns the script of a shell call, for example `script` for `["bash", "-lc", script]`. */
function shellText({ tool, input }: ToolCall): string | undefined {
  if (!shells.has(tool.toLowerCase())) return undefined;
  const command = member(input, "command") ?? member(input, "cmd");
  if (typeof command === "string") return command;
  const words = asList(command).flatMap((word) => (typeof word === "string" ? [word] : []));
  return words.length === 0 ? textOf(objectOf(input, "action"), "command") : words.join(" ");
}

const testRunners =
  /(?:^|[;&|(\s])(?:(?:npm|pnpm|yarn|bun|mise|make|cargo|go|dotnet|mvn|gradle|swift|deno|node)\s+(?:run\s+)?(?:--)?test\b|npx\s+(?:vitest|jest|mocha|playwright)\b|(?:pytest|vitest|jest|tox|rspec|phpunit|ctest)\b|python3?\s+-m\s+(?:pytest|unittest)\b)/;
const committed = /^\[[^\]\n]{1,200}? ([0-9a-f]{7,40})\] /m;

function readOutcome(shell: string, output: string): Pick<Command, "tests" | "results" | "commit"> {
  const commit = /\bgit\b[^\n]{0,200}\bcommit\b/.test(shell)
    ? committed.exec(output.slice(0, 20_000))?.[1]
    : undefined;
  const tests = testRunners.test(shell.slice(0, 4_000));
  const results = tests ? readTestResults(output) : undefined;
  return { tests, ...(results && { results }), ...(commit !== undefined && { commit }) };
}
