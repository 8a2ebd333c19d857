import { describe, expect, it } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import type { CipherStep } from "./notation.ts";
import { type CipherParse, formatReference, formatStep, parseCipher } from "./parse.ts";

function parsed(text: string): CipherParse {
  const parse = parseCipher(text);
  if (parse === undefined) throw new Error(`not cipher: ${text.slice(0, 80)}`);
  return parse;
}

function onlyStep(text: string): CipherStep {
  const { steps } = parsed(text);
  expect(steps).toHaveLength(1);
  return steps[0] as CipherStep;
}

/** Describes a step in one readable line, for example `3E 2: text`. */
function summarise({ number, type, references, content }: CipherStep): string {
  const list = references.map(
    ({ number, to, revises, inline }) =>
      `${revises ? "^" : ""}${inline ? "[" : ""}${number}${to === undefined ? "" : `-${to}`}${inline ? "]" : ""}`,
  );
  return `${number}${type} ${list.join(",")}: ${content}`;
}

function read(text: string): string[] {
  return parsed(text).steps.map(summarise);
}

function warningsOf(text: string): string[] {
  return parsed(text).warnings.map(
    ({ code, line, start, end }) => `${line} ${code} ${text.slice(start, end)}`,
  );
}

describe("steps", () => {
  it.each([
    ["S12|H|API latency caused by db", "12H : API latency caused by db"],
    ["S13|E|S12|Logs show 500ms queries", "13E 12: Logs show 500ms queries"],
    ["S14|C|S12,S13|DB needs indexing", "14C 12,13: DB needs indexing"],
    ["S15|Q|Why no index on user_id?", "15Q : Why no index on user_id?"],
    ["S16|R|^S12|Actually network issue", "16R ^12: Actually network issue"],
    ["S17|P|1. Add index 2. Test 3. Deploy", "17P : 1. Add index 2. Test 3. Deploy"],
    ["S18|O|CPU at 95% during peak", "18O : CPU at 95% during peak"],
    ["S19|A|Assuming prod config", "19A : Assuming prod config"],
    ["S20|X|S12|Hypothesis disproven", "20X 12: Hypothesis disproven"],
  ])("%s", (text, expected) => {
    expect(read(text)).toEqual([expected]);
    expect(warningsOf(text)).toEqual([]);
  });

  it("reads a chain with one step per line", () => {
    const chain = [
      "S1|O|User reports slow page loads",
      "S2|H|S1|Database queries causing latency",
      "S3|E|S2|Query logs show 2s avg response",
      "S4|H|S3|Missing index on users.email",
      "S5|E|S4|EXPLAIN shows full table scan",
      "S6|C|S4,S5|∴ Add index on users.email",
      "S7|P|S6|1. Create migration 2. Apply to staging 3. Verify 4. Deploy",
    ].join("\n");
    expect(read(chain)).toEqual([
      "1O : User reports slow page loads",
      "2H 1: Database queries causing latency",
      "3E 2: Query logs show 2s avg response",
      "4H 3: Missing index on users.email",
      "5E 4: EXPLAIN shows full table scan",
      "6C 4,5: ∴ Add index on users.email",
      "7P 6: 1. Create migration 2. Apply to staging 3. Verify 4. Deploy",
    ]);
    expect(parsed(chain).steps.map((step) => step.line)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(warningsOf(chain)).toEqual([]);
  });

  it("adds a line that is not a step to the step above, with its line break", () => {
    expect(read("\nS1|P|First:\n- build\n\n- ship\n\nS2|O|done\n")).toEqual([
      "1P : First:\n- build\n\n- ship",
      "2O : done",
    ]);
    expect(read("S1|P|\nS1 is mentioned\n    S2|O|indented by four")).toEqual([
      "1P : S1 is mentioned\n    S2|O|indented by four",
    ]);
  });

  it("tolerates and normalises variations in form", () => {
    expect(read("  s1 | h |  s2 , S003 |  text  ")).toEqual(["1H 2,3: text"]);
    expect(read("S1|O|one\r\nmore\r\nS2|E|S1|two\r\n")).toEqual(["1O : one\r\nmore", "2E 1: two"]);
  });

  it("lists each operator once, in the order of the table", () => {
    expect(onlyStep("S6|C|S4|∴ a ∧ b ∧ c → d").operators).toEqual(["→", "∴", "∧"]);
  });
});

describe("the reference field", () => {
  it.each([
    ["S9|C|S1-S3,S5|x", "9C 1-3,5: x"],
    ["S9|C|S1-3|x", "9C 1-3: x"],
    ["S9|R|^S4, S5|x", "9R ^4,5: x"],
    ["S9|R|^[S4]|x", "9R ^4: x"],
    ["S9|C||S1|x", "9C : S1|x"],
    ["S9|C|S3-S3|x", "9C 3: x"],
    ["S9|X|S4", "9X 4: "],
    ["S9|X|S4\nbecause", "9X 4: because"],
  ])("%j", (text, expected) => {
    expect(read(text)).toEqual([expected]);
  });

  it.each([
    ["S9|C|S1 shows it|x", "9C : S1 shows it|x"],
    ["S9|C|S1,,S2|x", "9C : S1,,S2|x"],
    ["S9|C|[S1|x", "9C : [S1|x"],
    ["S9|C|a|b|c", "9C : a|b|c"],
    ["S9|C|S1|a|b", "9C 1: a|b"],
  ])("is read as content unless all of it is a list: %j", (text, expected) => {
    expect(read(text)).toEqual([expected]);
  });
});

it("finds inline references anywhere in the content", () => {
  expect(read("S9|C|S1|[S2] ∧ ^[S3] → see\n[S4-S6], not cells[s7]")).toEqual([
    "9C 1,[2],^[3],[4-6]: [S2] ∧ ^[S3] → see\n[S4-S6], not cells[s7]",
  ]);
});

describe("a warning points at its cause", () => {
  it.each([
    ["S1|O|a\nS1|O|b", ["2 duplicate-step S1|O|b"]],
    ["S0|O|a", ["1 step-out-of-range S0|O|a"]],
    ["S1000001|O|a", ["1 step-out-of-range S1000001|O|a"]],
    ["S2|E|S1,S2|a", ["1 self-reference S2"]],
    ["S2|C|S1-S3|a", ["1 self-reference S1-S3", "1 forward-reference S1-S3"]],
    ["S9|C|S3-S1|a", ["1 descending-range S3-S1"]],
    ["S1|O|a\nS2|O|b\nsee [S3-S900]", ["3 range-too-long [S3-S900]"]],
    ["S9|C|S0|a", ["1 reference-out-of-range S0"]],
    ["S1|E|S2|", ["1 empty-content S1|E|S2|", "1 forward-reference S2"]],
    ["S1|R|S9|a", ["1 revision-without-target S1|R|S9|a", "1 forward-reference S9"]],
    ["S4|E|S99|a", ["1 forward-reference S99"]],
    ["S4|E|seen, as in [S9]", ["1 forward-reference [S9]"]],
    ["S1|C|S2|a\nS2|E|b", ["1 forward-reference S2"]],
    ["S4|E|S1;S2|a", ["1 unreadable-references S1;S2"]],
    ["S4|E|S1 S2|a", ["1 unreadable-references S1 S2"]],
    ["S4|E|S1 and S2 agree|a", []],
    ["S4|E|S1⊖S2|a", ["1 unreadable-references S1⊖S2"]],
    ["S4|E|S3 ⊖ S2|a", ["1 unreadable-references S3 ⊖ S2"]],
    ["S4|E|[S3] ⊖ [S2]|a", []],
    ["S4|E|[S1];[S2]|a", []],
    ["S4|E|[S3] ⊖ S2|a", ["1 unreadable-references [S3] ⊖ S2"]],
    ["S4|E|1;2|a", ["1 unreadable-references 1;2"]],
    ["S4|E|1 2|a", ["1 unreadable-references 1 2"]],
    ["S4|O|10:30|a", []],
    ["S9|E|S1–S3|a", ["1 unreadable-references S1–S3"]],
    ["S9|E|S1 - S3|a", ["1 unreadable-references S1 - S3"]],
    ["S9|E|S1,foo|a", ["1 unreadable-references S1,foo"]],
    ["S9|E|alt:3|a", ["1 unreadable-references alt:3"]],
    ["S9|E|port: 5432|a", []],
    ["S9|E|alt: S3|a", ["1 unreadable-references alt: S3"]],
    ["S9|E|as in [S1 S2]", ["1 inline-list [S1 S2]"]],
    ["S9|E|as in [S1 and S2]", ["1 inline-list [S1 and S2]"]],
    ["S4|E|[s3] ⊖ [s2]", ["1 bare-contradiction [s3] ⊖"]],
    ["S4|E|S3.|a", ["1 unreadable-references S3."]],
    ["S4|E|S1,,S2|a", ["1 unreadable-references S1,,S2"]],
    ["S4|E|against [S2,S1]", ["1 inline-list [S2,S1]"]],
    ["S4|E|against [S2; alt:S1]", ["1 inline-list [S2; alt:S1]"]],
    ["S4|O|the row [1,2]", []],
    ["S4|E|S3 ⊖ S2", ["1 bare-contradiction S3 ⊖"]],
    ["S4|E|[3] ⊖ [2]", ["1 bare-contradiction [3] ⊖"]],
    ["S4|E|[S3] ⊖ S2", ["1 bare-contradiction ⊖ S2"]],
    ["S4|E|the trace ⊖ [2]", ["1 bare-contradiction ⊖ [2]"]],
    ["S4|E|[S3] ⊖ what [S2] says", ["1 unclear-contradiction [S2]"]],
    ["S4|E|[S3] ⊖ **[S2]**", []],
    ["S4|E|a ⊖ b. See [S2]", []],
    ["S4|E|S3 is slow, but the trace ⊖ the profile", []],
    ["S4|E|S1-S9|a", ["1 self-reference S1-S9", "1 forward-reference S1-S9"]],
    ["S4|E|S1-S4|a", ["1 self-reference S1-S4"]],
  ])("%j", (text, expected) => {
    expect(warningsOf(text)).toEqual(expected);
  });

  it("reverses a descending range", () => {
    expect(read("S9|C|S3-S1|a")).toEqual(["9C 1-3: a"]);
  });

  it("keeps a range that is too long as text", () => {
    expect(read("S999|C|S1-S200|a")).toEqual(["999C 1-200: a"]);
    expect(read("S999|C|S1-S201|a")).toEqual(["999C : S1-S201|a"]);
  });

  it("accepts an inline caret as the target of a revision", () => {
    expect(warningsOf("S4|R|^[S2] was wrong")).toEqual([]);
  });
});

describe("prose is not cipher", () => {
  it.each([
    "",
    "  \n\t\n",
    "The cache is cold after a deploy, so the first request is slow.",
    "S1 was wrong: the index exists.",
    "As noted:\nS1|H|the index is missing",
    "See [S3] and ^[S4].",
    "| step | type |\n|---|---|\n| S1 | H |",
    "a | b | c",
    "S1|H",
    "S1|Z|unknown type",
    "S1|HE|two letters",
    "S|H|no number",
    "1|Z|no type",
    "    S1|O|indented like code",
    "xS1|O|not at the start",
    "S1234567890123456|O|sixteen digits",
    "if (a || b) { return s1 | h | mask; }",
    "```\nS1|O|fenced\n```",
    "cat log | grep S1 | wc -l",
    "- S1|O|in a list",
  ])("%j", (text) => {
    expect(parseCipher(text)).toBeUndefined();
  });
});

describe("positions", () => {
  const fragment = fc.constantFrom(
    ..."S1|O|,S2|E|S1|,S3|R|^S2, S1|,s4|x|,[S5],^[S6-S8],S9-S7,|, ,\n,\r\n,⊖,∴,text,S0,😀,\t,    ,,".split(
      ",",
    ),
  );
  const cipherLike = fc.array(fragment, { maxLength: 40 }).map((parts) => `S7|H|${parts.join("")}`);

  it("map back to the source", () => {
    fc.assert(
      fc.property(cipherLike, (text) => {
        const { steps, warnings } = parsed(text);
        let reached = 0;
        for (const step of steps) {
          expect(step.start).toBeGreaterThanOrEqual(reached);
          expect(text.slice(step.start, step.end)).toMatch(/^S\d+\s*\|/i);
          expect(text.slice(step.end - step.content.length, step.end)).toBe(step.content);
          expect(text.slice(0, step.start).split("\n")).toHaveLength(step.line);
          for (const { number, to, start, end } of step.references) {
            const numbers = (text.slice(start, end).match(/\d+/g) ?? []).map(Number);
            expect(new Set(numbers)).toEqual(new Set([number, to ?? number]));
          }
          reached = step.end;
        }
        for (const warning of warnings) {
          expect(text.slice(0, warning.start).split("\n")).toHaveLength(warning.line);
        }
      }),
    );
  });

  it("parsing never throws, whatever the text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseCipher(`S1|O|${text}`)));
  });
});

it("numbers may omit the S, as in the notation line", () => {
  const [step] = parseCipher("4|E|3,^2,[1]|Forty of forty connections are taken")?.steps ?? [];
  expect(step).toMatchObject({ number: 4, type: "E", content: "Forty of forty connections are taken" });
  expect(step?.references.map(({ number, revises }) => [number, revises])).toEqual([
    [3, false],
    [2, true],
    [1, false],
  ]);
});

it("reads a number without a closing bar as part of the step's text", () => {
  expect(parseCipher("S4|O|42")?.steps[0]).toMatchObject({ content: "42", references: [] });
});

describe("a step of another branch", () => {
  const read = (text: string) => {
    const [step] = parseCipher(text)?.steps ?? [];
    return { content: step?.content, references: step?.references.map(formatReference) };
  };

  it.each([
    ["is read in the field", "S4|E|alt:S3|x", { content: "x", references: ["alt:S3"] }],
    [
      "is read among other references",
      "S4|E|S1, ^try-2:S3-S4,[alt:S3]|x",
      { content: "x", references: ["S1", "^try-2:S3-S4", "alt:S3"] },
    ],
    ["is read in the text", "S4|E|see [alt:S3]", { content: "see [alt:S3]", references: ["alt:S3"] }],
    ["is not confused with an anchor", "S4|E|see [@alt:S3]", { content: "see [@alt:S3]", references: [] }],
    ["is not confused with a time", "S4|O|10:30|rain", { content: "10:30|rain", references: [] }],
    ["is read as content if no bar follows", "S4|O|alt:S3", { content: "alt:S3", references: [] }],
  ])("%s", (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it("is neither a forward reference nor a self-reference", () => {
    expect(parseCipher("S4|E|alt:S4,alt:S9|x")?.warnings).toEqual([]);
  });

  it("is formatted as it was read", () => {
    const [step] = parseCipher("S4|E|^alt:S3,S1|x")?.steps ?? [];
    expect(step && formatStep(step)).toBe("S4|E|^alt:S3,S1|x");
  });

  it("is read in lower case", () => {
    expect(parseCipher("S4|E|as in [ALT:S3]")?.steps[0]?.references).toMatchObject([{ branchId: "alt" }]);
  });

  it("causes a warning in a list that cannot be read", () => {
    expect(parseCipher("S4|E|S1;alt:S3|x")?.warnings.map(({ code }) => code)).toEqual([
      "unreadable-references",
    ]);
  });
});
