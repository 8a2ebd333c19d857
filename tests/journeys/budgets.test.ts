import { describe, expect, test } from "vitest";
import { maxAnswerChars } from "../../src/operations/pipeline/fit/budget.ts";
import { once } from "../support/run/once.ts";
import { createTestApp, fewWays, shareTestApp, startThinking } from "../support/test-app.ts";

const size = (answer: unknown) => JSON.stringify(answer).length;

describe.each(fewWays)("every answer to a %s client on %s stays within the budget", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  /** Records branches with the longest names, each with a revision, and long thoughts on the main chain. */
  const sprawling = once(async () => {
    const sessionId = await startThinking(client);
    const think = (args: object) => client.call("thought", { sessionId, thought: "x", ...args });
    await think({});
    const names = Array.from({ length: 210 }, (_, n) => `${n}`.padStart(64, "b"));
    await Promise.all(names.map((branchId) => think({ branchFromThought: 1, branchId })));
    await Promise.all(names.map((branchId) => think({ branchId, revisesThought: 2 })));
    for (let n = 0; n < 5; n += 1) await think({ thought: "x".repeat(9_000) });
    return sessionId;
  });

  test.each([
    ["load_context", {}],
    ["get_structure", {}],
    ["get_structure", { detail: "nodes", limit: 500 }],
    ["thought", { thought: "y", verbose: true, includeGuide: true }],
    ["read_thoughts", { last: 500 }],
    ["session.export", {}],
  ])("%s %o of a session with 210 branches and long thoughts", async (name, args) => {
    const sessionId = await sprawling();
    const answer = await client.call(name, { sessionId, ...args });
    expect(size(answer)).toBeLessThanOrEqual(maxAnswerChars);
    expect(size(answer)).toBeGreaterThan(200);
  });

  test("a list of large sessions is cut, reports that there are more, and paging returns all of them", async () => {
    const project = "large";
    const tags = Array.from({ length: 32 }, (_, n) => `${n}`.padEnd(80, "t"));
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        client.call("start_new", { title: `${n}`.padEnd(200), tags, project }),
      ),
    );
    const seen = new Set<string>();
    for (let offset = 0, more = true; more; ) {
      const page: any = await client.call("list_sessions", { project, limit: 100, offset });
      expect(size(page)).toBeLessThanOrEqual(maxAnswerChars);
      expect(page.total).toBe(60);
      for (const { id } of page.sessions) seen.add(id);
      offset += page.sessions.length;
      more = page.hasMore;
    }
    expect(seen.size).toBe(60);
  });
});

describe("warnings and suggestions in an answer", () => {
  async function filled() {
    const client = createTestApp().modern();
    const workspace = "budgets";
    for (let n = 0; n < 12; n += 1)
      await client.call("notes_commit", { workspace, content: `note ${n} `.repeat(20) });
    return { client, workspace };
  }

  test.each([1, 300, 700, 1_999])(
    "number at most two each and take at most 600 characters if the budget is %i",
    async (max_chars) => {
      const { client, workspace } = await filled();
      const given = await client.call("show", { workspace, doc: "notes", limit: 100_000, max_chars });
      const { budget, warnings, suggestions } = given;
      expect(warnings.length).toBeLessThanOrEqual(2);
      expect(suggestions.length).toBeLessThanOrEqual(2);
      expect(JSON.stringify({ budget, warnings, suggestions }).length - 2).toBeLessThanOrEqual(600);
      expect(budget.used_chars).toBeLessThanOrEqual(budget.max_chars);
      expect(warnings.map(({ code }: any) => code)).toContain("BUDGET_TRUNCATED");
      expect(suggestions[0]).toMatchObject({ operation: "show", args: { workspace, doc: "notes" } });
    },
  );

  test("are complete if the budget is 2,000 characters", async () => {
    const { client, workspace } = await filled();
    const given = await client.call("show", { workspace, doc: "notes", limit: 100_000, max_chars: 2_000 });
    expect(given.warnings.map(({ code }: any) => code)).toEqual(["LIMIT_CLAMPED", "BUDGET_TRUNCATED"]);
  });
});
