import { expect, test } from "vitest";
import type { Reply } from "../../src/kernel/reply.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { adviceIn, createAdviceFollower, type Send } from "../support/replies/follow-advice.ts";
import { fillIn, situations } from "../support/situations.ts";
import { createTestApp } from "../support/test-app.ts";

/*
 * Every in-process test with the `memory` store also runs each suggestion and recovery from the memory operations'
 * answers, unchanged (`follow-advice.ts`). This file checks that, and covers answers that no other test gets.
 */

const reply = (result: Record<string, unknown>): Reply => ({ kind: "result", result });
const suggestion = (operation: string, args = {}) => ({
  operation,
  args,
  reason: "Because.",
  priority: "low",
});
const works: Send = async () => reply({});
const fails: Send = async () => ({ kind: "error", error: { code: "UNKNOWN_ID", message: "Nothing." } });

test("suggestions are found anywhere in an answer, except in patches", () => {
  const recovery = { hint: "See.", operation: "branch_list", args: { workspace: "w" } };
  const advised = [{ operation: "branch_list", args: { workspace: "w" } }];
  expect(adviceIn({ kind: "error", error: { code: "CONFLICT", message: "No.", recovery } })).toEqual(advised);
  expect(adviceIn(reply({ warnings: [{ code: "W", message: "Hm.", recovery }] }))).toEqual(advised);
  expect(adviceIn(reply({ issues: [{ code: "I", recovery }] }))).toEqual(advised);
  expect(adviceIn(reply({ suggestions: [suggestion("status")] }))).toEqual([
    { operation: "status", args: {} },
  ]);
  expect(adviceIn(reply({ recovery: { ...recovery, patch: true } }))).toEqual([]);
});

test("advice that names no operation, or fails, fails the test", async () => {
  const follow = (operation: string, send: Send) =>
    createAdviceFollower().take(reply({ suggestions: [suggestion(operation)] }), send, "show");
  await expect(follow("graph_querry", works)).rejects.toThrow("which is no operation");
  await expect(follow("status", fails)).rejects.toThrow("UNKNOWN_ID");
  await follow("status", works);
});

test("advice that writes waits for the end of the test", async () => {
  const follower = createAdviceFollower();
  await follower.take(reply({ suggestions: [suggestion("init")] }), fails, "show");
  expect(follower.followed).toEqual([]);
  await expect(follower.finish()).rejects.toThrow("UNKNOWN_ID");
});

const memory = catalogue.filter(({ family }) => family === "memory");
const cutShort = memory.filter(({ effect }) => effect === "read");

/** Returns the workspaces for the examples, each with enough content for a second page. */
async function prepare(given: string | undefined) {
  const app = createTestApp();
  const situation = (await situations[given ?? ""]?.(app)) ?? { client: app.modern() };
  const { client } = situation;
  for (let n = 0; n < 4; n += 1) {
    const entry = { artifact: "x".repeat(300), message: "y".repeat(200) };
    await client.call("commit", entry);
    await client.call("tag_create", { name: `${"t".repeat(100)}${n}` });
    await client.call("branch_create", { name: `${"b".repeat(100)}${n}` });
    const op = { op: "node_upsert", id: `${"n".repeat(100)}${n}`, type: "fact", text: "x".repeat(300) };
    await client.call("graph_apply", { ops: [op] });
  }
  return { app, situation };
}

test("every read advises calls that work, even in its shortest answer", async () => {
  let followed = 0;
  for (const { name, examples } of cutShort) {
    for (const { given, input } of examples) {
      const { app, situation } = await prepare(given);
      const args = { ...fillIn(input, situation), max_chars: 300 };
      const answer = await situation.client.call(name, args);
      const { truncated, pagination } = answer;
      if (truncated && pagination?.has_more) expect(adviceIn(answer), name).not.toEqual([]);
      followed += app.followed.length;
    }
  }
  expect(followed).toBeGreaterThan(5);
});

test("every memory operation that refuses its arguments advises calls that work", async () => {
  let followed = 0;
  for (const { name } of memory) {
    const app = createTestApp();
    const client = app.modern();
    await client.refusal(name, { nonsense: 1 });
    await client.refusal(name, { workspace: "../elsewhere" });
    await client.reply(name, { target: "TASK-999", branch: "nowhere", id: "none", ref: "none@1" });
    followed += app.followed.length;
  }
  expect(followed).toBeGreaterThanOrEqual(memory.length * 2);
});
