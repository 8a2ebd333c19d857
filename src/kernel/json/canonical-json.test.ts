import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { runAtOnce } from "../steps.ts";
import { canonicalJson, isSameJson } from "./canonical-json.ts";

const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

test("sorts keys by UTF-16 code units, as in the example of RFC 8785", () => {
  const value = {
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\u{1f600}": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis",
  };
  const letters = canonicalJson(value).match(/(?<=:")\w+/g);
  expect(letters).toEqual(["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]);
});

test("writes numbers and literals as in the example of RFC 8785", () => {
  const value = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
    string: '\u20ac$\u000f\nA\'B"\\"/',
    literals: [null, true, false],
  };
  expect(canonicalJson(value)).toBe(
    `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\\u000f\\nA'B\\"\\\\\\"/"}`,
  );
});

test("ignores the original order of keys", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      const reversed = Object.fromEntries(Object.entries(record).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(record));
    }),
  );
});

test("writes JSON that parses back to the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("leaves canonical text unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});

test("leaves out members without a value", () => {
  expect(canonicalJson({ b: undefined, a: 1, c: undefined })).toBe('{"a":1}');
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
});

test("keeps texts apart that differ only in a lone surrogate", () => {
  expect(canonicalJson("\ud800")).not.toBe(canonicalJson("\ud801"));
  expect(canonicalJson("\ud800")).not.toBe(canonicalJson("\\ud800"));
});

test.each([
  [Number.NaN],
  [{ a: [Number.POSITIVE_INFINITY] }],
  [undefined],
  [[undefined]],
  [1n],
  [new Date(0)],
  [new Map()],
  [() => 1],
])("refuses %s", (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});

test("keeps an own key named __proto__", () => {
  expect(canonicalJson(JSON.parse('{"__proto__":1,"a":[{}]}'))).toBe('{"__proto__":1,"a":[{}]}');
});

const isSame = (one: unknown, other: unknown): boolean => runAtOnce(isSameJson(one, other));

test("two values are the same if their canonical texts are", () => {
  const values = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(values, values, (one, other) => {
      expect(isSame(one, structuredClone(one))).toBe(true);
      expect(isSame(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
    }),
  );
});

test.each([
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: undefined }, { b: undefined }, true],
  [{ a: 1 }, { a: 1, b: 1 }, false],
  [{ toString: 1 }, { valueOf: 1 }, false],
  [["a"], { 0: "a" }, false],
  [["a", "b"], ["b", "a"], false],
  [[], {}, false],
  [null, {}, false],
])("compares %j with %j", (one, other, same) => {
  expect(isSame(one, other)).toBe(same);
});
