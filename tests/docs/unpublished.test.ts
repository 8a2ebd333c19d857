import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Matches commands that fetch our name from a registry, where anyone who takes the name could run code. */
const fetching =
  /\b(?:npx|bunx|(?:npm|pnpm|yarn) +(?:i|install|add|exec|x|dlx))\b["', ][^\n`]*\bthoughtbox\b/;

test("no text tells readers to install the package from a registry", () => {
  const files = execFileSync("git", ["ls-files", "src", "ui", "content", "docs", "*.md"], {
    encoding: "utf8",
  });
  const texts = files.split("\n").filter((file) => /\.(?:tsx?|mjs|md|json|html|css)$/.test(file));
  expect(texts.length).toBeGreaterThan(500);
  const found = texts.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => fetching.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
  expect(fetching.test("claude mcp add thoughtbox -- npx -y thoughtbox")).toBe(true);
  expect(fetching.test('{ "command": "npx", "args": ["thoughtbox"] }')).toBe(true);
});
