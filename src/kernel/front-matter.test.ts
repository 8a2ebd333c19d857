import { expect, test } from "vitest";
import fc from "../../tests/support/fast-check.ts";
import { formatFrontMatter, parseFrontMatter } from "./front-matter.ts";

test("reads bare words, lists and JSON values", () => {
  const text = '---\nname: five-whys\ntags: [debugging, analysis]\ntitle: "A: b"\n---\n# Body\n';
  expect(parseFrontMatter(text)).toEqual({
    head: { name: "five-whys", tags: ["debugging", "analysis"], title: "A: b" },
    body: "# Body\n",
  });
});

test("reads a text without front matter as the body", () => {
  expect(parseFrontMatter("just text\n---\n")).toEqual({ head: {}, body: "just text\n---\n" });
});

test("reads back whatever was written", () => {
  const head = fc.record({ title: fc.string(), tags: fc.array(fc.string()), count: fc.integer() });
  fc.assert(
    fc.property(head, fc.string(), (given, body) => {
      expect(parseFrontMatter(formatFrontMatter({ head: given, body }))).toEqual({ head: given, body });
    }),
  );
});
