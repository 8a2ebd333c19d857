import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { runAtOnce } from "../steps.ts";
import { canonicalJson, isSameJson } from "./canonical-json.ts";

const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

test("keys are sorted by UTF-16 code units, as in the example of RFC 8785", () => {
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

test("numbers and literals come out as in the example of RFC 8785", () => {
  const value = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
    string: '\u20ac$\u000f\nA\'B"\\"/',
    literals: [null, true, false],
  };
  expect(canonicalJson(value)).toBe(
    `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\\u000f\\nA'B\\"\\\\\\"/"}`,
  );
});

test("the order in which keys were written does not matter", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      const reversed = Object.fromEntries(Object.entries(record).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(record));
    }),
  );
});

test("any JSON value can be read back", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("canonical text is its own canonical form", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});

test("members without a value are left out at any depth", () => {
  expect(canonicalJson({ b: undefined, a: 1, c: undefined })).toBe('{"a":1}');
  expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
});

test("texts that differ in a lone surrogate only stay different", () => {
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
])("%s is refused", (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});

test("an own key named __proto__ is kept", () => {
  expect(canonicalJson(JSON.parse('{"__proto__":1,"a":[{}]}'))).toBe('{"__proto__":1,"a":[{}]}');
});

const isSame = (one: unknown, other: unknown): boolean => runAtOnce(isSameJson(one, other));

test("two values are the same where their canonical texts are", () => {
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
])("%j and %j", (one, other, same) => {
  expect(isSame(one, other)).toBe(same);
});
