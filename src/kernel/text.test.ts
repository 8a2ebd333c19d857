import { describe, expect, test } from "vitest";
import fc from "../../tests/support/fast-check.ts";
import { clip, escapeHidden, isWellFormed, quote, toTerminal, visible } from "./text.ts";

const anyCharacter = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));
const anyText = fc.string({ unit: anyCharacter, maxLength: 300 });
const hostileText = fc.string({
  unit: fc.constantFrom(
    "a",
    "😀",
    "\ud800",
    "\udc00",
    "\u001b",
    "\u202e",
    "\u{e0041}",
    "\n",
    '"',
    "\\",
    "\u0085",
  ),
  maxLength: 300,
});
const unsafe = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u{e0000}-\u{e007f}\u2028\u2029]/u;

describe("isWellFormed", () => {
  test("accepts whole pairs and refuses halves", () => {
    expect(isWellFormed("plain 😀")).toBe(true);
    expect(isWellFormed("\ud83d")).toBe(false);
    expect(isWellFormed("\ude00\ud83d")).toBe(false);
  });
});

describe("clip", () => {
  test("returns short text unchanged", () => {
    expect(clip("abc", 3)).toBe("abc");
  });

  test("leaves out a pair that crosses the limit", () => {
    expect(clip("ab😀", 3)).toBe("ab");
    expect(clip("ab😀", 4)).toBe("ab😀");
    expect(clip("😀", 0)).toBe("");
  });

  test("returns a well-formed prefix within the limit", () => {
    fc.assert(
      fc.property(anyText, fc.nat(320), (text, max) => {
        const clipped = clip(text, max);
        expect(text.startsWith(clipped)).toBe(true);
        expect(clipped.length).toBeLessThanOrEqual(max);
        expect(isWellFormed(clipped) || !isWellFormed(text)).toBe(true);
      }),
    );
  });
});

describe("quote", () => {
  test("puts plain text in quotation marks", () => {
    expect(quote("monthly")).toBe('"monthly"');
  });

  test("escapes quotation marks, backslashes and control characters", () => {
    expect(quote('say "hi"\\\n\u001b[31m')).toBe('"say \\"hi\\"\\\\\\n\\u{1b}[31m"');
  });

  test("shows bidi, tag and lone surrogate characters by number", () => {
    expect(quote("a\u202eb\u{e0041}\ud800")).toBe('"a\\u{202e}b\\u{e0041}\\u{d800}"');
  });

  test("keeps text of exactly the limit and ends longer text in an ellipsis", () => {
    expect(quote("a".repeat(120))).toBe(`"${"a".repeat(120)}"`);
    expect(quote("a".repeat(121))).toBe(`"${"a".repeat(119)}…"`);
    expect(quote("abc😀def", 5)).toBe('"abc…"');
  });

  test("returns a bounded, safe quotation and never cuts an escape, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, hostileText), fc.integer({ min: 1, max: 150 }), (text, max) => {
        const quoted = quote(text, max);
        expect(quoted.length).toBeLessThanOrEqual(max + 2);
        expect(quoted).not.toMatch(unsafe);
        expect(quoted).toMatch(/^"(?:[^"\\]|\\[nrt"\\]|\\u\{[0-9a-f]+\})*"$/u);
      }),
    );
  });
});

describe("visible", () => {
  test("replaces each line break with one sign", () => {
    expect(visible("one\ntwo\r\nthree\rfour")).toBe("one⏎two⏎three⏎four");
  });

  test("shows escape sequences, bidi and tag characters, and leaves other text unchanged", () => {
    expect(visible('\u001b[2J "é" \\ \u2067x\u{e0020}\tü')).toBe(
      '\\u{1b}[2J "é" \\ \\u{2067}x\\u{e0020}\\tü',
    );
    expect(visible("👩‍👩‍👧 naïve 思考")).toBe("👩‍👩‍👧 naïve 思考");
  });

  test("leaves nothing unsafe", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, hostileText), (text) => {
        expect(visible(text)).not.toMatch(unsafe);
      }),
    );
  });
});

describe("hidden characters", () => {
  /** Signs that enclose the digits after them are visible, although Unicode lists them as format characters. */
  const drawn = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
  const classes =
    /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Bidi_Control}\p{Variation_Selector}\p{Zl}\p{Zp}]/u;
  /** These are invisible, although Unicode lists them as symbols and letters. */
  const blanks = /[\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}\p{Noncharacter_Code_Point}]/u;

  test("are all shown between ASCII letters, in answers and on terminals", () => {
    const raw: string[] = [];
    for (let code = 0x80; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (drawn.test(character) || !(classes.test(character) || blanks.test(character))) continue;
      const shown = `a\\u{${code.toString(16)}}b`;
      if (escapeHidden(`a${character}b`) !== shown || toTerminal(`a${character}b`) !== shown)
        raw.push(code.toString(16));
    }
    expect(raw).toEqual([]);
  });

  test.each([
    ["in a combined emoji", "👩‍❤️‍👨 and 🏳️‍🌈"],
    ["in a heart and a keycap", "❤️ 1️⃣ #️⃣ ©️ ☎︎"],
    ["in Persian", "می‌خواهم"],
    ["in Hindi", "क्‍ष"],
    ["in Malayalam with a joiner at the end of words", "അവന്\u200d വന്നു, അവന്\u200d"],
    ["in an Arabic abbreviation", "١٤٤٦ ه\u200d."],
    ["in a variant of a sign", "∩︀ and 劫︀"],
    ["in a Braille drawing", "⠀⠀⣿⣿⠀⣿⠀"],
    ["in spaces of other scripts", "10\u00a0kg\u3000全角\u202f!"],
  ])("%s stay as they are", (_what, text) => {
    expect(escapeHidden(text)).toBe(text);
    expect(toTerminal(text)).toBe(text);
  });

  test.each([
    ["a selector after every letter", "o\ufe00k\ufe0f", "o\\u{fe00}k\\u{fe0f}"],
    ["two selectors", "❤\ufe0f\ufe0e", "❤\ufe0f\\u{fe0e}"],
    ["a rare selector", "❤\ufe05", "❤\\u{fe05}"],
    ["two joiners", "👩\u200d\u200d👨", "👩\\u{200d}\\u{200d}👨"],
    ["a second joiner at the end of a word", "ന്\u200d\u200c x", "ന്\u200d\\u{200c} x"],
    ["a joiner at the end of a Latin word", "né\u200d x", "né\\u{200d} x"],
    ["a row of blanks", "x \u2800\u2800 y", "x \\u{2800}\\u{2800} y"],
  ])("such as %s are shown", (_what, text, shown) => {
    expect(escapeHidden(text)).toBe(shown);
  });

  test("are shown in a mebibyte of text", () => {
    for (const unit of ["\u2800", "\ufe0f", "\u200d", "é\u200d"])
      escapeHidden(unit.repeat(1_048_576 / unit.length));
  });
});
