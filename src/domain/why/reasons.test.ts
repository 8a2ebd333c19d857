import { describe, expect, test } from "vitest";
import { hasCause, isNarration } from "./reason-words.ts";
import { findReasons, type Passage } from "./reasons.ts";

const said = (text: string, more: Partial<Passage> = {}): Passage => ({
  text,
  by: "agent",
  after: false,
  edits: 0,
  turns: 0,
  place: text.slice(0, 12),
  ...more,
});
const asked = (text: string, more: Partial<Passage> = {}): Passage => said(text, { by: "user", ...more });
const subject = {
  path: "src/pool.ts",
  hunk: ["export const pool = openPool({", "  connections: workers.length,", "});"],
  near: [],
  line: "  connections: workers.length,",
};
const find = (passages: readonly Passage[], chars = 400) => findReasons(subject, passages, chars);

describe("what the user wanted", () => {
  test("a user who only agrees wants what the agent proposed", () => {
    const proposal =
      "Forty workers share ten connections. I would open one connection per worker, so that none waits.";
    const reason = said("The pool gets workers.length connections in pool.ts, because a worker holds one.");
    const { asked: request } = find([said(proposal, { turns: 1 }), asked("yes, please"), reason]);
    expect(request?.text).toBe(`yes, please (to the proposal: ${proposal})`);
  });

  test("a proposal is not repeated if it is the reason", () => {
    const proposal =
      "Open one connection per worker in pool.ts, because the workers wait for connections of each other.";
    const { asked: request, because } = find([said(proposal, { turns: 1 }), asked("ok")]);
    expect([request?.text, because?.text]).toEqual(["ok", proposal]);
  });

  test("a user who chooses by number wants that item of the list", () => {
    const list = [
      "There are three ways to end the waiting:",
      "1. Raise the timeout of the checkout.",
      "2. Open one connection per worker.",
      "3. Queue the workers.",
    ].join("\n");
    const { asked: request } = find([said(list, { turns: 1 }), asked("let's do 2")], 160);
    expect(request?.text).toBe("let's do 2 (to the proposal: 2. Open one connection per worker.)");
  });

  test("a short request is shown with the earlier one that states what the work is for", () => {
    const first = asked("Forty workers share ten connections of the pool, and checkout times out.", {
      turns: 3,
    });
    const between = asked("What does the archive do with old invoices and receipts?", { turns: 1 });
    const { asked: request } = find([first, between, asked("can we add a test?")], 160);
    expect(request?.text).toBe(`can we add a test? (earlier: ${first.text})`);
  });

  test("a part of a request about another test is not quoted", () => {
    const text = [
      "Redact the secrets of the pool",
      "- `TestPool_RedactsWorkers` opens connections of the pool with workers and reads the workers back",
      "- `TestPool_RedactsConnections` opens the pool and looks for the secret of each of its connections",
    ].join("\n");
    const inTest = { ...subject, within: "TestPool_RedactsConnections" };
    const request = findReasons(inTest, [asked(text)], 180).asked?.text;
    expect(request).toContain("RedactsConnections");
    expect(request).not.toContain("RedactsWorkers");
  });

  test("a call that the user refused without a word is no request", () => {
    const refusal = asked("`git push origin pool` was refused by the user.");
    const { asked: request } = find([asked("Give every worker its own connection.", { turns: 1 }), refusal]);
    expect(request?.text).toBe("Give every worker its own connection.");
  });

  test("the request of the turn comes before an older one that shares a word with the edit", () => {
    const older = asked("Open a pull request, please.", { turns: 2 });
    const { asked: request } = find([older, asked("Checkout times out under load. Find out why.")]);
    expect(request?.text).toContain("Checkout");
  });

  test("a long request is cut to what it is for and the part about the edit", () => {
    const parts = Array.from({ length: 40 }, (_, n) => `Step ${n} is about something else entirely.`);
    const plan = [
      "Implement the following plan:\n\n# Checkout under load\n",
      ...parts,
      "The pool opens as many connections as there are workers.",
      ...parts,
    ].join(" ");
    const { asked: request } = find([asked(plan)], 160);
    expect(request?.text).toMatch(/^Checkout under load .*… .*connections as there are workers\./);
    expect(request?.text.length).toBeLessThanOrEqual(160);
    expect(request?.cut(120).length).toBeLessThanOrEqual(120);
  });
});

test("a long request that begins with the part about the edit is not quoted twice", () => {
  const first = "The pool opens as many connections as there are workers, and each worker keeps one of them";
  const rest = Array.from({ length: 20 }, (_, n) => `step ${n} is about something else`).join(", ");
  const { asked: request } = find([asked(`${first}, ${rest}.`)], 160);
  expect(request?.text.split("The pool opens")).toHaveLength(2);
});

describe("why it was done", () => {
  test("the nearest passage does not win over the one that gives the reason", () => {
    const reason = said("Workers starve because ten connections are shared by forty workers.", { edits: 1 });
    const next = said("Now let me check how the pool opens its connections for workers.");
    expect(find([asked("Fix it."), reason, next]).because?.text).toBe(reason.text);
  });

  test("the subject of the commit decides between passages with the same words of the edit", () => {
    const timeout = said("Workers wait for connections of the pool until the timeout.", { edits: 1 });
    const retry = said("Workers that lose connections of the pool retry the payment.", { edits: 1 });
    const because = (topic: string) =>
      findReasons({ ...subject, topic }, [asked("Fix it."), timeout, retry], 400).because?.text;
    expect(because("retry a lost payment")).toBe(retry.text);
    expect(because("no timeout while waiting")).toBe(timeout.text);
  });

  test("a list keeps its numbers, and a label without its list is dropped", () => {
    const text = [
      "Invoices are archived for ten years, which nobody has asked for in all that time.",
      "1. Each worker opens its own connection, because a shared pool of connections makes workers wait.",
      "The next connections:",
      "Receipts are printed on paper, and somebody files them in a folder at the end of the month.",
    ].join("\n");
    expect(find([asked("Fix it."), said(text)], 125).because?.text).toBe(
      "1. Each worker opens its own connection, because a shared pool of connections makes workers wait.",
    );
  });

  test("what is announced after the edit is about the next one", () => {
    const reason = said("One connection per worker, so that checkout never waits for a worker.", {
      edits: 2,
    });
    const next = said("Now I need to update the test of the pool instead of the connections of workers.", {
      after: true,
    });
    expect(find([asked("Fix it."), reason, next]).because?.text).toBe(reason.text);
  });

  test("what is said after the edit counts only if it names the function of the edit", () => {
    const summary = said("One connection per worker in pool.ts, because workers wait for connections.", {
      after: true,
    });
    const inFunction = { ...subject, within: "openWorkers" };
    const because = (text: string) =>
      findReasons(inFunction, [asked("Fix it."), { ...summary, text }], 400).because?.text;
    expect(because(summary.text)).toBeUndefined();
    const named = `openWorkers: ${summary.text}`;
    expect(because(named)).toBe(named);
    expect(because(`${summary.text}\n\`\`\`\nopenWorkers();\n\`\`\``)).toBeUndefined();
  });

  test("how an agent organizes its work is no reason", () => {
    const talk =
      "I'm using the executing-plans skill for the pool. Let me re-read the plan and dispatch subagents for the connections of workers.";
    expect(find([asked("Fix it."), said(talk)]).because).toBeUndefined();
    const todos = "Now I need to move to the second todo, the connections of workers in pool.ts.";
    expect(find([asked("Fix it."), said(todos)]).because).toBeUndefined();
    const reason = "The pool gets one of the connections per worker, because workers wait for each other.";
    const both = said(`Task 1 is complete. ${reason}`);
    expect(find([asked("Fix it."), both]).because?.text).toBe(reason);
  });

  test("a list is quoted with the sentence that introduces it", () => {
    const text = [
      "Invoices are archived for ten years, which nobody has asked for in all that time.",
      "The pool should do this:",
      "1. Open connections for all workers",
      "2. Queue the workers without connections",
      "Receipts are printed on paper, and somebody files them in a folder at the end of the month.",
    ].join("\n");
    expect(find([asked("Fix it."), said(text)], 125).because?.text).toBe(
      "The pool should do this: 1. Open connections for all workers 2. Queue the workers without connections",
    );
  });

  test("code outside a fence is not quoted", () => {
    const lines = [
      "connections := workers.length + pool.connections;",
      "pool.connections += workers.length;",
      "The workers wait for each other, because the pool has too few connections.",
    ];
    expect(find([asked("Fix it."), said(lines.join("\n"))], 100).because?.text).toBe(lines[2]);
  });

  test("an excerpt does not end with rows of a table", () => {
    const lines = [
      "Invoices are archived for ten years, which nobody has asked for in all that time.",
      "The workers wait for each other, because the pool has too few connections.",
      "| workers | connections |",
      "|---|---|",
    ];
    expect(find([asked("Fix it."), said(lines.join("\n"))], 120).because?.text).toBe(lines[1]);
  });

  test("a passage without a word of the edit is no reason", () => {
    const elsewhere = said("The invoices are archived after ten years.", { edits: 3 });
    expect(find([asked("Fix it."), elsewhere]).because).toBeUndefined();
  });

  test("what an agent needs to read next is neither a cause nor more than narration", () => {
    expect(hasCause("I need to read the pool first.")).toBe(false);
    expect(hasCause("The pool needs one connection per worker.")).toBe(true);
    expect(isNarration("Good. I need to check how the workers are started.")).toBe(true);
    expect(isNarration("There are no tests. I should write one to verify that workers wait.")).toBe(false);
    expect(isNarration("The workers are started one after the other, which takes minutes.")).toBe(false);
  });
});
