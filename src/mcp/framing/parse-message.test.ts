import { describe, expect, test } from "vitest";
import { parseMessage } from "./parse-message.ts";

const parseError = (id: string | number | null, message: string) => ({
  answer: [{ jsonrpc: "2.0", id, error: { code: -32700, message } }],
});
const invalidJson = "message is not valid JSON";
const invalidUtf8 = "message is not valid UTF-8";

describe("an unreadable message is answered with the ID if it can be recovered", () => {
  test.each([
    ["hello", null],
    ["", null],
    ['{"jsonrpc":"2.0","id":5,"method":"m","params":{"a":', 5],
    ['{"jsonrpc":"2.0","id":"five","method":"m",}', "five"],
    ['{"jsonrpc":"2.0","method":"m","params":{"id":6},"id":5,oops}', 5],
    ['{"jsonrpc":"2.0","method":"m","id":5', null],
    ['{"jsonrpc":"2.0","id":5 "method":"m"}', null],
    ["{'id':5}", null],
    ['{"id":NaN}', null],
    ['{"id":5} {"id":6}', 5],
    ['{"id":5,"result":{"a":', null],
    ['[{"id":5},', null],
    ['log: {"id":5}', null],
  ])("%s", (text, id) => {
    expect(parseMessage(Buffer.from(text))).toEqual(parseError(id, invalidJson));
    expect(parseMessage(text)).toEqual(parseError(id, invalidJson));
  });

  test("also if its bytes are not UTF-8", () => {
    const text = '{"jsonrpc":"2.0","id":5,"method":"m","params":{"a":"é"}}';
    expect(parseMessage(Buffer.from(text, "latin1"))).toEqual(parseError(5, invalidUtf8));
    expect(parseMessage(Buffer.from('{"method":"m","id":"é"}', "latin1"))).toEqual(
      parseError(null, invalidUtf8),
    );
    expect(parseMessage(Buffer.from([0xff, 0xfe]))).toEqual(parseError(null, invalidUtf8));
  });
});

test("delivers or refuses a readable message by its form", () => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect(parseMessage(JSON.stringify(ping))).toEqual({ deliver: ping });
  expect(parseMessage(Buffer.from(`\ufeff ${JSON.stringify(ping)} `))).toEqual({ deliver: ping });
  expect(parseMessage("[]")).toMatchObject({ answer: [{ id: null, error: { code: -32600 } }] });
});

test("refuses a message that is nested too deep under its ID, before it is parsed", () => {
  const deep = `{"jsonrpc":"2.0","id":7,"method":"x","params":{"list":${"[".repeat(1_000_000)}`;
  expect(parseMessage(deep)).toMatchObject({
    answer: [
      { id: 7, error: { code: -32600, message: "message is nested deeper than the limit of 64 levels" } },
    ],
  });
  const flat = `{"jsonrpc":"2.0","id":7,"method":"x","params":{"list":[${'"[[\\"[",[],'.repeat(60_000)}1]}}`;
  expect(parseMessage(flat)).toHaveProperty("deliver");
});

test("refuses a message with too many fields under its ID", () => {
  const fields = Array.from({ length: 60_000 }, (_, index) => `"f${index}" : "a:b\\":"`).join(",");
  expect(parseMessage(`{"jsonrpc":"2.0","id":7,"method":"x","params":{${fields}}}`)).toMatchObject({
    answer: [{ id: 7, error: { code: -32600, message: "message has more than 60000 fields" } }],
  });
  const texts = Array.from({ length: 60_000 }, () => '"a:b"').join(",");
  expect(parseMessage(`{"jsonrpc":"2.0","id":7,"method":"x","params":{"list":[${texts}]}}`)).toHaveProperty(
    "deliver",
  );
});
