import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { cutAt } from "./cut-at.testing.ts";
import { createTopLevelIdScanner, toUsableId } from "./message-check.ts";

function scan(chunks: Uint8Array[]) {
  const scanner = createTopLevelIdScanner();
  for (const chunk of chunks) scanner.feed(chunk);
  return scanner.id();
}

const scanText = (text: string) => scan([Buffer.from(text)]);

const trickyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ":", ",", "id", '"id":9'),
    maxLength: 12,
  }),
);
const anyId = fc.oneof(
  trickyText,
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(null, true, {}, ["id", 1]),
);
const anyMember = fc.tuple(
  fc.oneof(trickyText, fc.constantFrom("id", "params", "method", "jsonrpc")),
  fc.oneof(anyId, fc.jsonValue(), fc.constant({ id: 1, params: { id: 2 } })),
);
const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\r"), maxLength: 3 });

/** Generates objects in which names can repeat, as they can in a client's message. */
const objectText = fc
  .tuple(fc.array(anyMember, { maxLength: 6 }), fc.option(anyId, { nil: undefined }), fc.nat(), space)
  .map(([members, id, at, gap]) => {
    if (id !== undefined) members.splice(at % (members.length + 1), 0, ["id", id]);
    const written = members.map(([name, value]) =>
      [name, value].map((part) => JSON.stringify(part)).join(`${gap}:${gap}`),
    );
    return `${gap}{${gap}${written.join(`${gap},${gap}`)}${gap}}`;
  });

test("finds the same ID as JSON.parse, wherever it is and however the bytes arrive", () => {
  fc.assert(
    fc.property(objectText, fc.array(fc.nat()), (text, cuts) => {
      expect(scan(cutAt(Buffer.from(text), cuts))).toBe(toUsableId(JSON.parse(text).id));
    }),
    { numRuns: 3000 },
  );
});

describe("the scanner", () => {
  test.each([
    ['{"params":{"id":1,"a":[{"id":2}]},"id":3}', 3],
    ['{"params":{"id":1}}', null],
    ['{"note":"\\"id\\":1,","id":2}', 2],
    ['{"note":"\\\\","id":2}', 2],
    ['{"\\u0069\\u0064":4}', 4],
    ['{"id":"a\\"b\\u00e9😀"}', 'a"bé😀'],
    ['{"id":1,"id":2}', 2],
    ['{"id":1,"id":[2]}', null],
    ['{"id":-0}', -0],
    ['{"id":1 2}', null],
    ["[1]", null],
    ["5", null],
  ])("reads %s", (text, id) => {
    expect(scanText(text)).toBe(id);
  });

  test("takes no ID from a response, because the client uses the same numbers for its own requests", () => {
    expect(scanText('{"id":1,"result":{}}')).toBeNull();
    expect(scanText('{"error":{"code":1,"message":"m"},"id":1}')).toBeNull();
    expect(scanText('{"id":1,"method":"m","result":{}}')).toBe(1);
    expect(scanText('{"id":1,"params":{"result":{}}}')).toBe(1);
  });

  test("keeps IDs of up to 256 bytes", () => {
    expect(scanText(JSON.stringify({ id: "i".repeat(256) }))).toBe("i".repeat(256));
    expect(scanText(JSON.stringify({ id: "i".repeat(257) }))).toBeNull();
  });

  test("returns an ID only once its end has arrived", () => {
    expect(scanText('{"method":"m","id":12')).toBeNull();
    expect(scanText('{"method":"m","id":12,')).toBe(12);
  });
});
