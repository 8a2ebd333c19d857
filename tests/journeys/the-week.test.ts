import { describe, expect, test } from "vitest";
import { once } from "../support/run/once.ts";
import { tempDir } from "../support/temp-dir.ts";
import { createTestApp, shareTestApp } from "../support/test-app.ts";
import { facts, liveTheWeek } from "../support/week/live-the-week.ts";

const packs: [operation: string, args: Record<string, unknown>][] = [
  ["context_pack", { target: "PLAN-001" }],
  ["context_pack", { target: "TASK-002" }],
  ["context_pack", {}],
  ["tasks_resume_super", { target: "PLAN-001" }],
  ["tasks_resume_super", { target: "TASK-002" }],
  ["think_pack", { target: "TASK-002" }],
  ["think_watch", { target: "TASK-002" }],
  ["export", { target: "TASK-002" }],
];

const budgets = [2_000, 4_000, 20_000];

const shownIn = (answer: object): string[] => {
  const text = JSON.stringify(answer);
  return Object.keys(facts).filter((fact) => facts[fact]?.test(text));
};

test("table", async () => {
  const dataDir = tempDir();
  const agent = (name: string) =>
    createTestApp({ backend: "binary", dataDir, env: { THOUGHTBOX_AGENT_ID: name } }).legacy().call;
  await liveTheWeek({ ada: agent("ada"), bo: agent("bo"), cy: agent("cy") });
  const cold = agent("dee");
  const lines = [];
  for (const [operation, args] of packs)
    for (const max_chars of budgets) {
      const answer = await cold(operation, { ...args, max_chars }).catch((e) => ({
        error: String(e).slice(0, 80),
      }));
      const shown = shownIn(answer);
      lines.push(
        `${operation} ${JSON.stringify(args)} ${max_chars}: ${shown.length} facts, ${JSON.stringify(answer).length} chars ${"error" in answer ? answer.error : ""}; lacks ${Object.keys(
          facts,
        )
          .filter((f) => !shown.includes(f))
          .join(", ")}`,
      );
    }
  console.log(lines.join("\n"));
});
