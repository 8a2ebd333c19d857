import { expect, test } from "vitest";
import type { KeptAction } from "../../actions/kept-action.ts";
import type { Block, TranscriptLine } from "../entry.ts";
import { createThoughtPlan } from "./plan-thoughts.ts";

const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 10, 0, second)).toISOString();
let second = 0;
const entry = (role: "user" | "assistant", ...blocks: Block[]): TranscriptLine => ({
  entry: { role, blocks, at: at(second++) },
});
const call = (callId: string, tool: string, input: Record<string, unknown>): TranscriptLine =>
  entry("assistant", { type: "tool_call", callId, tool, command: `${tool} ${callId}`, input });
const result = (callId: string, text = "ok", failed = false): TranscriptLine =>
  entry("user", { type: "tool_result", callId, text, failed });
const read = (callId: string, file_path: string) => [call(callId, "Read", { file_path }), result(callId)];
const think = (text: string) => entry("assistant", { type: "thinking", text });

function lines(): TranscriptLine[] {
  second = 0;
  return [
    entry("user", { type: "text", text: "Look." }),
    think("First."),
    ...read("c1", "a.ts"),
    ...read("c2", "b.ts"),
    call("c3", "Grep", { pattern: "pool" }),
    result("c3"),
    ...read("c4", "a.ts"),
    call("c5", "Bash", { command: "npm test" }),
    result("c5"),
    ...read("c6", "c.ts"),
    ...read("c7", "missing.ts").slice(0, 1),
    result("c7", "no such file", true),
    ...read("c8", "d.ts"),
    think("Then."),
    ...read("c9", "e.ts"),
  ];
}

const shown = (actions: readonly KeptAction[]) =>
  actions.map((action) => ({
    is: action.type === "read" ? action.paths.join(" ") : action.type,
    after: action.after?.thoughtNumber,
    took: action.took,
  }));

const plan = () => createThoughtPlan({ include: "all", agent: "claude-code" });

test("combines neighbouring reads into one action, until the agent does or says something else", () => {
  const planned = plan();
  for (const line of lines()) planned.add(line);
  expect(shown(planned.take().actions)).toEqual([
    { is: "a.ts b.ts", after: 2, took: 7_000 },
    { is: "command", after: 2, took: 1_000 },
    { is: "c.ts", after: 2, took: 1_000 },
    { is: "d.ts", after: 3, took: 1_000 },
  ]);
});

test("gives the same actions for a transcript in pieces as for the whole", () => {
  const whole = plan();
  for (const line of lines()) whole.add(line);
  const pieces = plan();
  const found = lines().flatMap((line) => {
    pieces.add(line);
    return pieces.take().actions;
  });
  expect(found).toEqual(whole.take().actions);
});

test("reports the newest call without a result as running, until the agent or the user says something", () => {
  const planned = plan();
  const [asked, ...rest] = lines();
  if (asked) planned.add(asked);
  for (const line of rest) planned.add(line);
  expect(planned.take().running).toBeUndefined();
  planned.add(call("c10", "Bash", { command: "npm run build" }));
  planned.add(call("c11", "Bash", { command: "npm test" }));
  expect(planned.take().running).toMatchObject({ command: "Bash c11" });
  planned.add(result("c11"));
  expect(planned.take().running).toMatchObject({ command: "Bash c10" });
  planned.add(think("It hangs."));
  expect(planned.take().running).toBeUndefined();
});
