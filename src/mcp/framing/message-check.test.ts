import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { checkMessage, type Verdict } from "./message-check.ts";

const answerTo = (id: string | number | null, code: number, message: string): Verdict => ({
  answer: [{ jsonrpc: "2.0", id, error: { code, message } }],
});
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const call = (members: string): string => `{"jsonrpc":"2.0","id":7,"method":"m"${members}}`;
const withArguments = (text: string): string => call(`,"params":{"arguments":${text}}`);

const notObject = "a message must be an object";
const badVersion = 'jsonrpc must be "2.0"';
const badMethod = "method must be a string";
const badId = "id must be a string or a safe integer";
const badParams = "params must be an object";
const badMeta = "params._meta must be an object, and its progressToken a string or an integer";
const noBatch = "batches are not supported. Send one message at a time";
const bothKinds = "a message with a method must not have a result or an error";
const tooDeep = "message is nested deeper than the limit of 64 levels";
const illFormed = (path: string): string => `text must be well-formed Unicode: ${path}`;
const infinite = (path: string): string => `numbers must be finite: ${path}`;

const refused: [text: string, id: string | number | null, code: number, message: string][] = [
  ["null", null, -32600, notObject],
  ["true", null, -32600, notObject],
  ["42", null, -32600, notObject],
  ['"ping"', null, -32600, notObject],
  ["{}", null, -32600, badVersion],
  ['{"jsonrpc":"2.0"}', null, -32600, badMethod],
  ['{"id":1}', 1, -32600, badVersion],
  ['{"id":1,"method":"m"}', 1, -32600, badVersion],
  ['{"jsonrpc":"1.0","id":1,"method":"m"}', 1, -32600, badVersion],
  ['{"jsonrpc":2,"id":"a","method":"m"}', "a", -32600, badVersion],
  ['{"jsonrpc":null,"id":"a","method":"m"}', "a", -32600, badVersion],
  ['{"__proto__":{"jsonrpc":"2.0"},"id":1,"method":"m"}', 1, -32600, badVersion],
  ['{"jsonrpc":"2.0","id":1}', 1, -32600, badMethod],
  ['{"jsonrpc":"2.0","id":1,"method":null}', 1, -32600, badMethod],
  ['{"jsonrpc":"2.0","id":1,"method":5}', 1, -32600, badMethod],
  ['{"jsonrpc":"2.0","id":1,"method":["m"]}', 1, -32600, badMethod],
  ['{"jsonrpc":"2.0","method":1,"params":"bar"}', null, -32600, badMethod],
  ['{"jsonrpc":"2.0","method":{}}', null, -32600, badMethod],
  ['{"jsonrpc":"2.0","id":null,"method":"m"}', null, -32600, badId],
  ['{"jsonrpc":"2.0","id":true,"method":"m"}', null, -32600, badId],
  ['{"jsonrpc":"2.0","id":{},"method":"m"}', null, -32600, badId],
  ['{"jsonrpc":"2.0","id":[1],"method":"m"}', null, -32600, badId],
  ['{"jsonrpc":"2.0","id":1.5,"method":"m"}', null, -32600, badId],
  ['{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}', null, -32600, badId],
  ['{"jsonrpc":"2.0","id":-1e300,"method":"m"}', null, -32600, badId],
  ['{"jsonrpc":"2.0","id":1e400,"method":"m"}', null, -32600, badId],
  ['{"jsonrpc":"2.0","id":null,"method":"m","params":[]}', null, -32602, badParams],
  [call(',"params":[]'), 7, -32602, badParams],
  [call(',"params":"x"'), 7, -32602, badParams],
  [call(',"params":0'), 7, -32602, badParams],
  [call(',"params":null'), 7, -32602, badParams],
  [call(',"params":{"_meta":5}'), 7, -32602, badMeta],
  [call(',"params":{"_meta":[]}'), 7, -32602, badMeta],
  [call(',"params":{"_meta":{"progressToken":{}}}'), 7, -32602, badMeta],
  [call(',"params":{"_meta":{"progressToken":0.5}}'), 7, -32602, badMeta],
  [call(',"result":{}'), 7, -32600, bothKinds],
  [call(',"error":{"code":1,"message":"x"}'), 7, -32600, bothKinds],
  [withArguments(nested(63)), 7, -32600, tooDeep],
  [withArguments(nested(100_000)), 7, -32600, tooDeep],
  [call(`,"extra":${nested(64)}`), 7, -32600, tooDeep],
  [withArguments('{"thought":"a\\ud800"}'), 7, -32602, illFormed("params.arguments.thought")],
  [withArguments('{"thought":"\\udc00a"}'), 7, -32602, illFormed("params.arguments.thought")],
  [withArguments('{"tags":["ok","\\ud83d"]}'), 7, -32602, illFormed("params.arguments.tags.1")],
  [withArguments('{"\\ud800":1}'), 7, -32602, illFormed("params.arguments.?")],
  ['{"jsonrpc":"2.0","id":7,"method":"\\udfff"}', 7, -32602, illFormed("method")],
  ['{"jsonrpc":"2.0","id":"\\ud800","method":"m"}', "\ud800", -32602, illFormed("id")],
  [withArguments('{"n":1e400}'), 7, -32602, infinite("params.arguments.n")],
  [withArguments('{"n":[{"deep":-1e999}]}'), 7, -32602, infinite("params.arguments.n.0.deep")],
  ["[]", null, -32600, noBatch],
  ["[1,null,[]]", null, -32600, noBatch],
  ['[{"jsonrpc":"2.0","method":"m"}]', null, -32600, noBatch],
  ['[{"jsonrpc":"2.0","id":1,"result":{}}]', null, -32600, noBatch],
  ['[{"jsonrpc":"2.0","id":null,"method":"m"},{"id":4,"method":"m"}]', 4, -32600, noBatch],
  [nested(100_000), null, -32600, noBatch],
];

describe("a malformed message gets one answer, with its ID if that is usable", () => {
  test.each(refused)("%.120s", (text, id, code, message) => {
    expect(checkMessage(JSON.parse(text))).toEqual(answerTo(id, code, message));
  });

  test("and so does each request of a batch", () => {
    const batch = [{ id: 1, method: "a" }, { method: "b" }, { id: "x", method: "c" }, { id: 1, method: "d" }];
    const error = { code: -32600, message: noBatch };
    expect(checkMessage(batch)).toEqual({
      answer: [1, "x", 1].map((id) => ({ jsonrpc: "2.0", id, error })),
    });
  });

  test("with a short and printable path to the problem", () => {
    const [key, tail] = ["\u202e\u0007".repeat(60), "k".repeat(99)];
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "m",
      params: { [key]: { [tail]: { [tail]: "\ud800" } } },
    };
    const path = `params.${"?".repeat(40)}.${"k".repeat(40)}.${"k".repeat(30)}…`;
    expect(checkMessage(message)).toEqual(answerTo(1, -32602, illFormed(path)));
  });
});

describe("a well-formed message is delivered", () => {
  const delivered = [
    { jsonrpc: "2.0", id: 0, method: "ping" },
    { jsonrpc: "2.0", id: "", method: "" },
    { jsonrpc: "2.0", id: Number.MIN_SAFE_INTEGER, method: "m", params: {} },
    { jsonrpc: "2.0", id: 1, method: "m", params: { _meta: { progressToken: "p", other: [1] } } },
    { jsonrpc: "2.0", id: 1, method: "m", params: { text: "😀 \u0000 é", n: -0.5, none: null } },
    { jsonrpc: "2.0", id: 1, method: "m", params: { deep: JSON.parse(nested(62)) } },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
    { jsonrpc: "2.0", id: 3, result: {} },
    { jsonrpc: "2.0", id: "3", error: { code: -1, message: "declined", data: [1] } },
  ];
  test.each(delivered)("%j", (message) => {
    expect(checkMessage(message)).toEqual({ deliver: message });
  });

  test("without members that JSON-RPC does not define", () => {
    const request = { jsonrpc: "2.0", id: 1, method: "m", params: { a: 1 } };
    expect(checkMessage({ ...request, auth: "x", trace: {} })).toEqual({ deliver: request });
  });

  test("with any tool arguments, which the operations validate", () => {
    for (const given of [JSON.parse(nested(100)), { thought: "a\ud800" }, { n: Number.POSITIVE_INFINITY }]) {
      const params = { name: "thought", arguments: { given } };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      expect(checkMessage(message)).toEqual({ deliver: message });
    }
  });

  test("with keys that look like prototype members, which the operations validate", () => {
    const message = JSON.parse(
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"__proto__":1,"constructor":2}}',
    );
    expect(checkMessage(message)).toEqual({ deliver: message });
  });
});

describe("a malformed message that expects no answer", () => {
  const dropped: [text: string, reason: string][] = [
    ['{"jsonrpc":"1.0","method":"m"}', badVersion],
    ['{"jsonrpc":"2.0","method":"m","params":[]}', badParams],
    ['{"jsonrpc":"2.0","method":"m","params":{"_meta":1}}', badMeta],
    ['{"jsonrpc":"2.0","method":"m","result":{}}', bothKinds],
    [`{"jsonrpc":"2.0","method":"m","params":{"a":${nested(64)}}}`, tooDeep],
    ['{"jsonrpc":"2.0","method":"m","params":{"a":"\\ud800"}}', illFormed("params.a")],
  ];
  test.each(dropped)("is dropped if it is a notification: %.120s", (text, reason) => {
    expect(checkMessage(JSON.parse(text))).toEqual({ drop: `malformed notification: ${reason}` });
  });

  const neither = "neither a JSON-RPC 2.0 result nor an error";
  test.each([
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}', neither],
    ['{"jsonrpc":"2.0","result":{}}', neither],
    ['{"jsonrpc":"2.0","result":{"n":1e400}}', infinite("result.n")],
  ])("is dropped if it is a response without a usable ID: %s", (text, reason) => {
    expect(checkMessage(JSON.parse(text))).toEqual({ drop: `malformed response: ${reason}` });
  });

  test.each([
    ['{"jsonrpc":"2.0","id":3,"result":5}', neither],
    ['{"id":3,"result":{}}', neither],
    ['{"jsonrpc":"2.0","id":3,"error":"no"}', neither],
    ['{"jsonrpc":"2.0","id":3,"result":{"text":"\\ud83d"}}', illFormed("result.text")],
  ])("fails our own request if it is the response: %s", (text, reason) => {
    const error = { code: -32600, message: `malformed response: ${reason}` };
    expect(checkMessage(JSON.parse(text))).toEqual({ deliver: { jsonrpc: "2.0", id: 3, error } });
  });
});

test("delivers only what the SDK recognises, and gives every message a verdict", () => {
  const member = fc.oneof(fc.constantFrom("2.0", "m", 1, null, {}), fc.jsonValue({ maxDepth: 3 }));
  const anyMessage = fc.record(
    {
      jsonrpc: fc.constant("2.0"),
      id: member,
      method: member,
      params: member,
      result: member,
      error: member,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(anyMessage, fc.jsonValue()), (message) => {
      const verdict = checkMessage(message);
      if ("answer" in verdict) return verdict.answer.length > 0;
      if ("drop" in verdict) return verdict.drop.startsWith("malformed ");
      const { deliver } = verdict;
      return isJSONRPCRequest(deliver) || isJSONRPCNotification(deliver) || isJSONRPCResponse(deliver);
    }),
    { numRuns: 2000 },
  );
});
