import { describe, expect, test } from "vitest";
import { refusalWithCure } from "../support/replies/execute-recovery.ts";
import { fewWays, shareTestApp, startThinking } from "../support/test-app.ts";
import { snapshotLedger } from "../support/views/ledger-snapshot.ts";

const gateway = "thoughtbox_gateway";

describe.each(fewWays)("different spellings of a call by a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test.each([
    ["flat", (sessionId: string) => ({ operation: "thought", sessionId, thought: "one" })],
    ["nested", (sessionId: string) => ({ operation: "thought", args: { sessionId, thought: "one" } })],
    ["half flat", (sessionId: string) => ({ operation: "thought", sessionId, args: { thought: "one" } })],
    [
      "nested as JSON text",
      (sessionId: string) => ({ operation: "thought", sessionId, args: '{"thought":"one"}' }),
    ],
    [
      "both flat and nested with equal values",
      (sessionId: string) => ({ operation: "thought", sessionId, thought: "one", args: { thought: "one" } }),
    ],
  ])("a thought is recorded if the call is %s", async (_how, spell) => {
    const sessionId = await startThinking(client);
    expect(await client.call(gateway, spell(sessionId))).toEqual({ thoughtNumber: 1, sessionId });
    expect(await client.call("read_thoughts", { sessionId })).toMatchObject({
      thoughts: [{ thought: "one" }],
    });
  });

  test("a field with two different values is refused by name, and nothing is stored", async () => {
    const sessionId = await startThinking(client);
    const before = await snapshotLedger(client, sessionId);
    const call = { operation: "thought", sessionId, thought: "one", args: { thought: "two" } };
    const error = await refusalWithCure(client, gateway, call);
    expect(error).toMatchObject({ code: "INVALID_PAYLOAD", message: expect.stringContaining('"thought"') });
    expect(await snapshotLedger(client, sessionId)).toEqual(before);
  });

  test("a field and its alias with different values are refused", async () => {
    await startThinking(client);
    const error = await refusalWithCure(client, "start_new", { title: "a", sessionTitle: "b" });
    expect(error).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: expect.stringContaining("sessionTitle"),
    });
    expect(await client.call("start_new", { title: "a", sessionTitle: "a" })).toMatchObject({
      session: { title: "a" },
    });
  });

  test("navigate refuses two different values for the same place", async () => {
    await startThinking(client);
    const error = await refusalWithCure(client, "navigate", { to: "task", value: "a", task: "b" });
    expect(error.code).toBe("INVALID_PAYLOAD");
    const nested = await refusalWithCure(client, "navigate", { target: { task: "a" }, task: "b" });
    expect(nested.code).toBe("INVALID_PAYLOAD");
  });

  describe("sub-operations", () => {
    const query = "fig";
    test.each([
      ["subOperation", { operation: "session", subOperation: "search", query }],
      ["subOperation with args", { operation: "session", subOperation: "search", args: { query } }],
      ["args.operation", { operation: "session", args: { operation: "search", args: { query } } }],
      ["args.operation beside its fields", { operation: "session", args: { operation: "search", query } }],
      [
        "args.operation with args as text",
        { operation: "session", args: { operation: "search", args: '{"query":"fig"}' } },
      ],
      ["args.action", { operation: "session", args: { action: "search", query } }],
      ["args.action and flat fields", { operation: "session", query, args: { action: "search" } }],
      ["a dotted name", { operation: "session.search", query }],
      ["a dotted name beside subOperation", { operation: "session.search", subOperation: "search", query }],
      ["a dotted subOperation", { operation: "session", subOperation: "session.search", query }],
      ["subOperation within args", { operation: "session", args: { subOperation: "search", query } }],
      [
        "a dotted name beside subOperation within args",
        { operation: "session.search", args: { subOperation: "search", query } },
      ],
      ["the tool's name", { operation: "session_search", query }],
    ])("are understood as %s", async (_how, call) => {
      const sessionId = await startThinking(client);
      expect(await client.call(gateway, { ...call, sessionId })).toMatchObject({ query, count: 0 });
    });

    test("that are unknown or missing are refused with a list of the valid ones", async () => {
      const sessionId = await startThinking(client);
      const wrong = { operation: "session", subOperation: "frobnicate", sessionId };
      const unknown = await refusalWithCure(client, gateway, wrong);
      expect(unknown).toMatchObject({ code: "INVALID_OPERATION" });
      expect(unknown.message).toMatch(/Sub-operations of session: .*\bsearch\b/);
      for (const call of [
        { operation: "session", subOperation: "foo" },
        { operation: "session.nope" },
        { operation: "notebook", subOperation: "zzz" },
      ]) {
        const { message } = await refusalWithCure(client, gateway, { ...call, sessionId });
        expect(message).toMatch(/^There is no operation "[a-z.]+"\. Sub-operations of [a-z]+: .*\blist\b/);
      }
      const bare = await refusalWithCure(client, "session", { sessionId });
      expect(bare.message).toMatch(
        /^There is no operation "session"\. Sub-operations of session: .*\bsearch\b/,
      );
      const missing = await refusalWithCure(client, gateway, { operation: "session", sessionId });
      expect(missing.message).toMatch(/^session needs a subOperation: .*\bsearch\b/);
    });

    test("subOperation wins over args.operation, which wins over args.action", async () => {
      const sessionId = await startThinking(client);
      const verify = await client.call(gateway, {
        operation: "session",
        sessionId,
        args: { operation: "verify", args: {} },
      });
      expect(verify).toMatchObject({ valid: true });
      // An overruled `operation` or `action` stays an argument, and none of these operations has such a
      // field.
      const overAction = { operation: "session", sessionId, args: { operation: "verify", action: "search" } };
      expect((await refusalWithCure(client, gateway, overAction)).message).toMatch(
        /^session\.verify: There is no field "action"/,
      );
      const overBoth = {
        operation: "session",
        subOperation: "export",
        sessionId,
        args: { operation: "verify", action: "search" },
      };
      const { message } = await refusalWithCure(client, gateway, overBoth);
      expect(message).toMatch(/^session\.export: /);
      expect(message).toContain('There is no field "operation"');
      expect(message).toContain('There is no field "action"');
    });

    test("are refused for operations that have none", async () => {
      const sessionId = await startThinking(client);
      const call = { operation: "get_state", subOperation: "list", sessionId };
      expect(await refusalWithCure(client, gateway, call)).toMatchObject({ code: "INVALID_PAYLOAD" });
      const asField = { operation: "get_state", sessionId, args: { action: "list" } };
      expect((await refusalWithCure(client, gateway, asField)).message).toContain('"action"');
    });

    test("lead to help if none is given, and to the nearest one if misspelt", async () => {
      const sessionId = await startThinking(client);
      expect(await refusalWithCure(client, gateway, { operation: "session", sessionId })).toMatchObject({
        code: "INVALID_OPERATION",
        recovery: { operation: "help", args: { topic: "session" } },
      });
      const misspelt = { operation: "session", subOperation: "serch", sessionId };
      expect(await refusalWithCure(client, gateway, misspelt)).toMatchObject({
        code: "INVALID_OPERATION",
        message: 'There is no operation "session.serch". Did you mean session.search?',
      });
    });
  });

  test("numbers and booleans may be written as text, and a single string counts as a list", async () => {
    const sessionId = await startThinking(client);
    const spelt = {
      sessionId,
      thought: "x",
      thoughtNumber: "3",
      totalThoughts: "7",
      nextThoughtNeeded: "false",
    };
    expect(await client.call("thought", spelt)).toMatchObject({ thoughtNumber: 3, sessionClosed: true });
    const { thoughts } = await client.call("read_thoughts", {
      sessionId,
      range: '["1", "9"]',
      verbose: "true",
    });
    expect(thoughts).toMatchObject([{ thoughtNumber: 3, totalThoughts: 7, nextThoughtNeeded: false }]);
    expect(await client.call("start_new", { tags: "solo" })).toMatchObject({ session: { tags: ["solo"] } });
  });

  test("null means absent in every position", async () => {
    const sessionId = await startThinking(client, { project: "nulls" });
    const empty = { subOperation: null, branchId: null, thoughtNumber: null, args: { revisesThought: null } };
    expect(await client.call(gateway, { operation: "thought", sessionId, thought: "x", ...empty })).toEqual({
      thoughtNumber: 1,
      sessionId,
    });
    const listed = { operation: "list_sessions", sessionId, args: null, filters: { tags: null } };
    expect(await client.call(gateway, listed)).toMatchObject({ total: 1 });
  });

  test.each([
    ["thought", { thought: "x", thoghtNumber: 2 }, "thoughtNumber"],
    ["thought", { thought: "x", branch_id: "alt" }, "branchId"],
    ["read_thoughts", { lst: 2 }, "last"],
    ["session.search", { query: "x", oder: "newest" }, "order"],
    ["start_new", { sesionTitle: "x" }, "sessionTitle"],
  ])("%s suggests the nearest field for %o", async (name, args, nearest) => {
    const sessionId = await startThinking(client);
    const before = await snapshotLedger(client, sessionId);
    const error = await refusalWithCure(client, name, { sessionId, ...args });
    const unknown = Object.keys(args).at(-1) ?? "";
    expect(error).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: `${name}: There is no field "${unknown}". Did you mean ${nearest}?`,
      details: { hints: [{ field: unknown }] },
    });
    if (name === "thought") expect(await snapshotLedger(client, sessionId)).toEqual(before);
  });

  test("an unknown field that resembles no other is refused without a suggestion", async () => {
    await startThinking(client);
    const { message } = await refusalWithCure(client, "list_sessions", { xyzzy: 1 });
    expect(message).toBe('list_sessions: There is no field "xyzzy".');
  });

  test.each([
    ["read_thougts", "read_thoughts"],
    ["readThoughts", "read_thoughts"],
    ["session.exprot", "session.export"],
    ["loadContext", "load_context"],
  ])("the unknown operation %s is refused with the nearest one, %s", async (name, nearest) => {
    await startThinking(client);
    expect(await refusalWithCure(client, gateway, { operation: name })).toMatchObject({
      code: "INVALID_OPERATION",
      message: `There is no operation "${name}". Did you mean ${nearest}?`,
      recovery: { operation: "help", args: { topic: nearest } },
    });
  });

  test.each([
    {},
    { operation: "" },
    { operation: 7 },
    { operation: null },
    { operation: "__proto__" },
    { operation: "constructor" },
  ])("a gateway call of %o is refused and refers to help", async (call) => {
    await startThinking(client);
    const error = await refusalWithCure(client, gateway, call);
    expect(error).toMatchObject({ code: "INVALID_OPERATION", recovery: { operation: "help", args: {} } });
  });

  test.each([
    ["read_thoughts", { range: [1, 0] }, "range[1]", "read_thoughts: range[1] must be at least 1, not 0."],
    ["read_thoughts", { range: [1, "x"] }, "range[1]", 'read_thoughts: range[1] must be a number, not "x".'],
    ["read_thoughts", { range: [1] }, "range", "read_thoughts: range must have at least 2 entries."],
    ["read_thoughts", { last: 501 }, "last", "read_thoughts: last must be at most 500, not 501."],
    [
      "read_thoughts",
      { type: "Z" },
      "type",
      expect.stringMatching(/^read_thoughts: type must be one of H, E, C, .*, not "Z"\.$/),
    ],
    ["start_new", { tags: ["a", 7] }, "tags[1]", "start_new: tags[1] must be a string, not 7."],
    ["start_new", { tags: ["a", ""] }, "tags[1]", "start_new: tags[1] must not be empty."],
    ["thought", {}, "thought", expect.stringMatching(/^thought: thought is required\. [A-Z].*\.$/)],
    ["thought", { thought: 7 }, "thought", "thought: thought must be a string, not 7."],
    [
      "thought",
      { thought: "x", verbose: "maybe" },
      "verbose",
      'thought: verbose must be a boolean, not "maybe".',
    ],
  ])("%s with %o is refused and names the exact field", async (name, args, path, message) => {
    const sessionId = await startThinking(client);
    const error = await refusalWithCure(client, name, { sessionId, ...args });
    expect(error).toMatchObject({ code: "INVALID_PAYLOAD", details: { hints: [{ field: path }] } });
    expect(error.message).toEqual(message);
  });

  test.each([
    ["a list", []],
    ["invalid JSON", '{"thought":'],
    ["a number", 7],
    ["a list as JSON text", "[1]"],
  ])("args is refused if it is %s", async (_what, args) => {
    const sessionId = await startThinking(client);
    const error = await refusalWithCure(client, gateway, { operation: "thought", sessionId, args });
    expect(error).toMatchObject({ code: "INVALID_PAYLOAD", message: "args must be an object." });
  });
});
