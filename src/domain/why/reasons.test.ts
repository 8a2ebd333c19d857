import { describe, expect, test } from "vitest";
import { hasCause, isNarration } from "./reason-words.ts";
import { findMessage, findReasons, type Passage } from "./reasons.ts";

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
  test("is the agent's proposal if the user only agrees", () => {
    const proposal =
      "Forty workers share ten connections. I would open one connection per worker, so that none waits.";
    const reason = said("The pool gets workers.length connections in pool.ts, because a worker holds one.");
    const { asked: request, proposal: agreed } = find([
      said(proposal, { turns: 1 }),
      asked("yes, please"),
      reason,
    ]);
    expect([request?.text, agreed?.text]).toEqual(["yes, please", proposal]);
  });

  test("does not include the proposal if that is also the reason", () => {
    const proposal =
      "Open one connection per worker in pool.ts, because the workers wait for connections of each other.";
    const found = find([said(proposal, { turns: 1 }), asked("ok")]);
    expect([found.asked?.text, found.because?.text, found.proposal]).toEqual(["ok", proposal, undefined]);
  });

  test("is the chosen item if the user chooses by number", () => {
    const list = [
      "There are three ways to end the waiting:",
      "1. Raise the timeout of the checkout.",
      "2. Open one connection per worker.",
      "3. Queue the workers.",
    ].join("\n");
    const found = find([said(list, { turns: 1 }), asked("let's do 2")], 160);
    expect(found.asked?.text).toBe("let's do 2");
    expect(found.proposal?.text).toBe("2. Open one connection per worker.");
  });

  test("is not a single item if the user names a number of items", () => {
    const list =
      "I would do this:\n1. Raise the timeout.\n2. Open one connection per worker.\n3. Queue the workers.";
    expect(find([said(list, { turns: 1 }), asked("yes, all 3")]).proposal?.text).not.toBe(
      "3. Queue the workers.",
    );
  });

  test("is the item about the edit if several lists have that number", () => {
    const lists = [
      "P1:\n1. Print the receipts.\n2. Open one connection per worker of the pool.",
      "P2:\n1. Rename the archive.\n2. Sort the invoices by year.",
    ].join("\n\n");
    expect(find([said(lists, { turns: 1 }), asked("fix 2 too")]).proposal?.text).toBe(
      "2. Open one connection per worker of the pool.",
    );
  });

  test("includes the earlier request that states the purpose if the last one is short", () => {
    const first = asked("Forty workers share ten connections of the pool, and checkout times out.", {
      turns: 3,
    });
    const between = asked("What does the archive do with old invoices and receipts?", { turns: 1 });
    const found = find([first, between, asked("can we add a test?")], 160);
    expect([found.asked?.text, found.earlier?.text]).toEqual(["can we add a test?", first.text]);
  });

  test("includes the question that led to the proposal if the user agrees", () => {
    const old = asked("Look at the comments on the pull request and fix the connections.", { turns: 2 });
    const question = asked("I wonder if every part could stop asking which kind of store it has.", {
      turns: 1,
    });
    const proposal = said(
      "One part would know which kind of store it has. Every other part could stop asking.",
      {
        turns: 1,
      },
    );
    expect(find([old, question, proposal, asked("yes, please do")]).earlier?.text).toBe(question.text);
  });

  test("keeps the user's own sentence and drops a pasted log", () => {
    const log = Array.from({ length: 9 }, (_, n) => `src/pool.ts:${n}:5: connections of workers (lint)`);
    const { asked: request } = find([
      asked(["I get this error in the build:", "Running [/opt/lint run]", ...log].join("\n")),
    ]);
    expect(request?.text).toBe("I get this error in the build: [log]");
  });

  test("quotes a plan with the sentence that states its goal", () => {
    const steps = Array.from({ length: 30 }, (_, n) => `- step ${n} is about something else entirely`);
    const plan = [
      "Implement the following plan:",
      "# Checkout under load",
      "## Context",
      "Workers wait for each other until the checkout times out.",
      "## Steps",
      ...steps,
      "If you need specific details from before exiting plan mode, read the transcript about workers.",
    ].join("\n");
    const text = find([asked(plan)], 300).asked?.text;
    expect(text).toMatch(
      /^Checkout under load: (?:Context: )?Workers wait for each other until the checkout/,
    );
    expect(text).not.toContain("exiting plan mode");
  });

  test("leaves out the part of a request about another test", () => {
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

  test("does not include a call that the user refused without a word", () => {
    const refusal = asked("`git push origin pool` was refused by the user.");
    const { asked: request } = find([asked("Give every worker its own connection.", { turns: 1 }), refusal]);
    expect(request?.text).toBe("Give every worker its own connection.");
  });

  test("is the current request rather than an older one that shares a word with the edit", () => {
    const older = asked("Open a pull request, please.", { turns: 2 });
    const { asked: request } = find([older, asked("Checkout times out under load. Find out why.")]);
    expect(request?.text).toContain("Checkout");
  });

  test("shortens a long request to its purpose and the part about the edit", () => {
    const parts = Array.from({ length: 40 }, (_, n) => `Step ${n} is about something else entirely.`);
    const plan = [
      "Implement the following plan:\n\n# Checkout under load\n",
      ...parts,
      "The pool opens as many connections as there are workers.",
      ...parts,
    ].join(" ");
    const { asked: request } = find([asked(plan)], 160);
    expect(request?.text).toMatch(/^Checkout under load: .* … .*connections as there are workers\./);
    expect(request?.text.length).toBeLessThanOrEqual(160);
    expect(request?.cut(120).length).toBeLessThanOrEqual(120);
  });
});

describe("the message of a commit", () => {
  const message = [
    "The old pool is described elsewhere, and invoices are printed as before.",
    "Forty workers shared ten connections, so checkout timed out.",
  ].join("\n");

  test("is shortened to the part about the line", () => {
    const cut = findMessage({ ...subject, message });
    expect(cut?.(80)).toBe("… Forty workers shared ten connections, so checkout timed out.");
  });

  test("is left out if there is no body", () => {
    expect(findMessage(subject)).toBeUndefined();
    expect(findMessage({ ...subject, message: "See above." })).toBeUndefined();
  });
});

test("quotes a long request only once if it begins with the part about the edit", () => {
  const first = "The pool opens as many connections as there are workers, and each worker keeps one of them";
  const rest = Array.from({ length: 20 }, (_, n) => `step ${n} is about something else`).join(", ");
  const { asked: request } = find([asked(`${first}, ${rest}.`)], 160);
  expect(request?.text.split("The pool opens")).toHaveLength(2);
});

describe("why it was done", () => {
  test("prefers the passage that gives the reason to the nearest one", () => {
    const reason = said("Workers starve because ten connections are shared by forty workers.", { edits: 1 });
    const next = said("Now let me check how the pool opens its connections for workers.");
    expect(find([asked("Fix it."), reason, next]).because?.text).toBe(reason.text);
  });

  test("prefers a cause right before the edit, and adds a longer passage of an earlier edit as context", () => {
    const longer = said(
      "The pool opens connections for workers. Each of the workers needs connections, so the pool in pool.ts must open workers.length connections.",
      { edits: 2 },
    );
    const near = said("The linter found the same code twice. I should use a table to avoid that.");
    const found = find([asked("Fix it."), longer, near]);
    expect([found.because?.text, found.context?.text]).toEqual([near.text, longer.text]);
  });

  test("prefers what was said after the last request to what was said before it", () => {
    const refused = said(
      "I need to open connections for workers.length workers in pool.ts, so I add them there.",
      {
        turns: 1,
      },
    );
    const near = said("The file has a thousand lines. A file of its own holds the connections of workers.");
    const found = find([
      asked("Fix the pool.", { turns: 1 }),
      refused,
      asked("is it getting too large?"),
      near,
    ]);
    expect(found.because?.text).toBe(near.text);
  });

  test("leaves out context that a failed command superseded", () => {
    const longer = said(
      "Each of the workers needs connections, so the pool in pool.ts must open workers.length connections.",
      { edits: 2, overtaken: true },
    );
    const near = said("The linter found the same code twice. I should use a table to avoid that.");
    const found = find([asked("Fix it."), longer, near]);
    expect([found.because?.text, found.context]).toEqual([near.text, undefined]);
  });

  test("joins what was thought and said right before the edit, without repetition", () => {
    const thought = said(
      "Forty workers share ten connections, so workers wait. I should open one connection per worker.",
    );
    const spoken = said("Forty workers share ten connections, so workers wait:");
    expect(find([asked("Fix it."), thought, spoken]).because?.text).toBe(
      "I should open one connection per worker. Forty workers share ten connections, so workers wait:",
    );
  });

  test("leaves out withdrawn ideas, interjections and checks", () => {
    const text = [
      "Perfect!",
      "All tests pass.",
      "Let me check the types.",
      "The pool could queue its workers.",
      "Actually, every worker needs its own connection, because workers wait for connections.",
    ].join(" ");
    expect(find([asked("Fix it."), said(text)]).because?.text).toBe(
      "Actually, every worker needs its own connection, because workers wait for connections.",
    );
  });

  test("explains a line that no edit contains only by words about the line", () => {
    const other = said("The archive must be sorted, because readers look for invoices by year in pool.ts.");
    const own = said("The pool needs workers.length connections, because workers wait.", { edits: 3 });
    const loose = { ...subject, isUnseen: true, isLoose: true };
    expect(findReasons(loose, [asked("Sort the archive."), other], 400)).toEqual({});
    expect(findReasons(loose, [asked("Fix it."), own, other], 400).because?.text).toBe(own.text);
  });

  test("does not accept a question to the user as a reason", () => {
    const offer = said("```\nworkers.length\n```\nWant me to open these connections for workers in pool.ts?");
    const reason = said("The workers of the pool wait for connections.", { edits: 1 });
    expect(find([asked("Fix it."), reason, offer]).because?.text).toBe(reason.text);
  });

  test("marks omitted code, and drops a label without content", () => {
    const text = [
      "Currently it has:",
      "```\nconnections: 10\n```",
      "The workers of the pool wait for connections, because there are fewer than workers, as the log shows:",
      "```\ntimeout\n```",
      "So the pool opens one connection per worker.",
    ].join("\n");
    expect(find([asked("Fix it."), said(text)]).because?.text).toBe(
      "The workers of the pool wait for connections, because there are fewer than workers, as the log shows: […] So the pool opens one connection per worker.",
    );
  });

  test("shortens a long sentence after a word", () => {
    const text = `The pool needs connections for workers, because ${"workers wait for connections and ".repeat(9)}stop.`;
    const cut = find([asked("Fix it."), said(text)], 100).because?.text ?? "";
    expect(cut.length).toBeLessThanOrEqual(100);
    expect(text.startsWith(cut.replace(/ …$/, " "))).toBe(true);
    expect(cut).toMatch(/ …$/);
  });

  test("uses the subject of the commit to choose between passages with the same words", () => {
    const timeout = said("Workers wait for connections of the pool until the timeout.", { edits: 1 });
    const retry = said("Workers that lose connections of the pool retry the payment.", { edits: 1 });
    const because = (topic: string) =>
      findReasons({ ...subject, topic }, [asked("Fix it."), timeout, retry], 400).because?.text;
    expect(because("retry a lost payment")).toBe(retry.text);
    expect(because("no timeout while waiting")).toBe(timeout.text);
  });

  test("keeps the numbers of a list, and drops a label without its list", () => {
    const text = [
      "Invoices are archived for ten years, which nobody has asked for in all that time.",
      "1. Each worker opens its own connection, because a shared pool of connections makes workers wait.",
      "The next connections:",
      "Receipts are printed on paper, and somebody files them in a folder at the end of the month.",
    ].join("\n");
    expect(find([asked("Fix it."), said(text)], 125).because?.text).toBe(
      "… 1. Each worker opens its own connection, because a shared pool of connections makes workers wait. …",
    );
  });

  test("ignores what the agent announces after the edit", () => {
    const reason = said("One connection per worker, so that checkout never waits for a worker.", {
      edits: 2,
    });
    const next = said("Now I need to update the test of the pool instead of the connections of workers.", {
      after: true,
    });
    expect(find([asked("Fix it."), reason, next]).because?.text).toBe(reason.text);
  });

  test("uses what was said after the edit only if it names the function", () => {
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

  test("does not accept an agent's organisation of its work as a reason", () => {
    const talk =
      "I'm using the executing-plans skill for the pool. Let me re-read the plan and dispatch subagents for the connections of workers.";
    expect(find([asked("Fix it."), said(talk)]).because).toBeUndefined();
    const todos = "Now I need to move to the second todo, the connections of workers in pool.ts.";
    expect(find([asked("Fix it."), said(todos)]).because).toBeUndefined();
    const reason = "The pool gets one of the connections per worker, because workers wait for each other.";
    const both = said(`Task 1 is complete. ${reason}`);
    expect(find([asked("Fix it."), both]).because?.text).toBe(reason);
  });

  test("quotes a list with the sentence that introduces it", () => {
    const text = [
      "Invoices are archived for ten years, which nobody has asked for in all that time.",
      "The pool should do this:",
      "1. Open connections for all workers",
      "2. Queue the workers without connections",
      "Receipts are printed on paper, and somebody files them in a folder at the end of the month.",
    ].join("\n");
    expect(find([asked("Fix it."), said(text)], 125).because?.text).toBe(
      "… The pool should do this: 1. Open connections for all workers 2. Queue the workers without connections …",
    );
  });

  test("leaves out code outside a fence", () => {
    const lines = [
      "connections := workers.length + pool.connections;",
      "pool.connections += workers.length;",
      "The workers wait for each other, because the pool has too few connections.",
    ];
    expect(find([asked("Fix it."), said(lines.join("\n"))], 100).because?.text).toBe(`… ${lines[2]}`);
  });

  test("does not end an excerpt with rows of a table", () => {
    const lines = [
      "Invoices are archived for ten years, which nobody has asked for in all that time.",
      "The workers wait for each other, because the pool has too few connections.",
      "| workers | connections |",
      "|---|---|",
    ];
    expect(find([asked("Fix it."), said(lines.join("\n"))], 120).because?.text).toBe(`… ${lines[1]} …`);
  });

  test("does not accept a passage without a word of the edit", () => {
    const elsewhere = said("The invoices are archived after ten years.", { edits: 3 });
    expect(find([asked("Fix it."), elsewhere]).because).toBeUndefined();
  });

  test("reads an agent's next action as narration, not as a cause", () => {
    expect(hasCause("I need to read the pool first.")).toBe(false);
    expect(hasCause("The pool needs one connection per worker.")).toBe(true);
    expect(isNarration("Good. I need to check how the workers are started.")).toBe(true);
    expect(isNarration("There are no tests. I should write one to verify that workers wait.")).toBe(false);
    expect(isNarration("The workers are started one after the other, which takes minutes.")).toBe(false);
  });
});
