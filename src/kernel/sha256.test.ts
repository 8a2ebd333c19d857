import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import fc from "../../tests/support/fast-check.ts";
import { sha256Hex } from "./sha256.ts";

const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

test("the digest is the published one", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("text is hashed as UTF-8", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const bytes = Buffer.from(text, "utf8");
      expect(sha256Hex(text)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }),
  );
});
