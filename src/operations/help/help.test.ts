import { expect, test } from "vitest";
import { catalogue } from "../catalogue.ts";
import { defaultChars } from "../pipeline/fit/budget.ts";
import type { Operation } from "../pipeline/operation.ts";
import { overview } from "./help.ts";

test("the overview fits the default budget with 140 operations and the longest names and titles", () => {
  const [memory] = catalogue.filter(({ family }) => family === "memory");
  const ledger = catalogue.filter(({ family }) => family === "ledger");
  const planned = Array.from({ length: 140 - ledger.length }, (_, n) => ({
    ...(memory as Operation),
    name: `${n}`.padStart(24, "n"),
    title: "t".repeat(40),
  }));
  const subjects = Array.from({ length: 30 }, () => "s".repeat(12));
  const page = overview([...ledger, ...planned], subjects);
  expect(page.match(/\| t{40} \|/g)).toHaveLength(planned.length);
  expect(JSON.stringify({ topic: "overview", markdown: page, truncated: false }).length).toBeLessThan(
    defaultChars,
  );
});
