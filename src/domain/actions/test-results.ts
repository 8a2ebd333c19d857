import { withoutColours } from "../transcripts/clean-text.ts";
import type { TestResults } from "./action.ts";

/** How many characters to search at the end of the output. */
const lookedAt = 4_000;

type Counts = { failed?: string | undefined; passed?: string | undefined };

/** Vitest and Jest: `Tests  2 failed | 29 passed (31)`, `Tests: 1 failed, 1 skipped, 4 passed, 6 total`. */
const listed = /^[ \t]*Tests:?[ \t]+([^\n]*\b(?:passed|failed)\b[^\n]*)$/gm;
/** pytest: `== 2 failed, 29 passed in 1.2s ==`. */
const pytest = /^=+ ([^\n]*\b(?:passed|failed)\b[^\n]*) in [\d.:]+s?[^\n]*=+$/gm;
/** cargo test: `test result: FAILED. 29 passed; 2 failed; 0 ignored`. One line per crate. */
const cargo = /^test result: \w+\. (\d+ passed; \d+ failed)/gm;
/** Node's own runner and TAP: `# pass 29`, `ℹ fail 2`. */
const nodePass = /^[#ℹ] pass (\d+)$/gm;
const nodeFail = /^[#ℹ] fail (\d+)$/gm;
/** Mocha: `29 passing (1s)`, `2 failing`. */
const mochaPass = /^[ \t]*(\d+) passing\b/gm;
const mochaFail = /^[ \t]*(\d+) failing\b/gm;

const wordsOf = (line: string): Counts => ({
  failed: /(\d{1,9}) failed/.exec(line)?.[1],
  passed: /(\d{1,9}) passed/.exec(line)?.[1],
});

/**
 * Reads the numbers of failed and passed tests at the end of the output. Returns `undefined` if there is no
 * summary.
 */
export function readTestResults(output: string): TestResults | undefined {
  const end = withoutColours(output.slice(-lookedAt));
  const lines = (pattern: RegExp) => [...end.matchAll(pattern)].map(([, found = ""]) => found);
  const crates = lines(cargo).map(wordsOf);
  const [summary] = [lines(listed).at(-1), lines(pytest).at(-1)].filter((line) => line !== undefined);
  const counts =
    crates.length > 0
      ? crates
      : summary !== undefined
        ? [wordsOf(summary)]
        : [
            { passed: lines(nodePass).at(-1), failed: lines(nodeFail).at(-1) },
            { passed: lines(mochaPass).at(-1), failed: lines(mochaFail).at(-1) },
          ];
  const sum = (name: keyof Counts) =>
    counts.reduce((total, { [name]: found = "0" }) => total + Number(found), 0);
  const results = { failed: sum("failed"), passed: sum("passed") };
  return results.failed + results.passed > 0 ? results : undefined;
}
