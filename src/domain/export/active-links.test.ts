import { expect, test } from "vitest";
import { withoutActiveLinks } from "./active-links.ts";

test.each([
  ["[run](javascript:alert(1))", "[run]\\(javascript:alert(1))"],
  ["[run](  \n JaVaScRiPt:alert(1))", "[run]\\(  \n JaVaScRiPt:alert(1))"],
  ["[run](javascript\\:alert(1))", "[run]\\(javascript\\:alert(1))"],
  ["[open](file:///etc/passwd)", "[open]\\(file:///etc/passwd)"],
  ["[a]: data:text/html,x", "[a]\\: data:text/html,x"],
  ["> [a]:\n> javascript:x", "> [a]\\:\n> javascript:x"],
  ["> > [run](\n> > javascript:x)", "> > [run]\\(\n> > javascript:x)"],
  ["![pixel](https://example.org/p.png)", "!\\[pixel](https://example.org/p.png)"],
  ["[![pixel](x.png)](vbscript:x)", "[!\\[pixel](x.png)]\\(vbscript:x)"],
])("%j becomes inert", (markdown, inert) => {
  expect(withoutActiveLinks(markdown)).toBe(inert);
});

test.each([
  "[page](https://example.org/a:b)",
  "[mail](mailto:ada@example.org)",
  "[file](docs/guide.md#what: and why)",
  "[top](#top)",
  "S1|H|a claim [1]: because",
  "list[0](x)",
])("%j stays as it is", (markdown) => {
  expect(withoutActiveLinks(markdown)).toBe(markdown);
});
