import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import fc from "../../tests/support/fast-check.ts";
import { sha256Hex, sha256InSteps } from "./sha256.ts";
import { runAtOnce } from "./steps.ts";

const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

test("computes the published digests", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("hashes text as UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const bytes = Buffer.from(text, "utf8");
      expect(sha256Hex(text)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }),
  );
});

test.each(["", "abc", "🙂".repeat(700_000), `a${"🙂".repeat(700_000)}`, "é\ud83d".repeat(600_000)])(
  "hashes a text in steps with the same result as at once",
  (text) => {
    expect(runAtOnce(sha256InSteps(text))).toBe(sha256Hex(text));
  },
);
