import { expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const note = { content: `use ${secret} for now`, meta: { api_key: "hunter2hunter2", plain: "seen" } };
const node = { op: "node_upsert", id: "n", type: "idea", text: `it is ${secret}` };

const open = (secrets: string) =>
  inWorkspace(createTestApp({ env: { THOUGHTBOX_SECRETS: secrets } }).modern());

test("warn stores the text, reports where the secret is, and never shows it", async () => {
  const { call } = open("warn");
  const written = await call("notes_commit", note);
  expect(written.warnings).toMatchObject([
    {
      code: "SECRET_DETECTED",
      message: expect.stringContaining(
        "The content looks like it contains a secret (github-token at character 4)",
      ),
    },
  ]);
  await call("graph_apply", { ops: [node] });
  for (const answer of [
    written,
    await call("show", { doc: "notes" }),
    await call("graph_query"),
    await call("open", { id: "n" }),
  ])
    expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${secret}|hunter2`));
  const { entries } = await call("show", { doc: "notes" });
  expect(entries[0].content).toBe("use [secret:github-token] for now");
  expect(entries[0].meta).toEqual({ api_key: "[secret:credential]", plain: "seen" });
});

test("redact masks before storing", async () => {
  const { call } = open("redact");
  const written = await call("notes_commit", note);
  expect(written.warnings).toMatchObject([{ code: "SECRET_MASKED" }]);
  expect(written.entry.content).toBe("use [secret:github-token] for now");
});

test("off leaves everything as it is", async () => {
  const { call } = open("off");
  const written = await call("notes_commit", note);
  expect(written).not.toHaveProperty("warnings");
  expect(written.entry).toMatchObject(note);
});

test("the budget counts secrets as they are shown, not as they are stored", async () => {
  const { call } = open("warn");
  for (let n = 0; n < 20; n += 1) await call("notes_commit", note);
  const {
    budget,
    warnings: _warnings,
    suggestions: _suggestions,
    ...shown
  } = await call("show", {
    doc: "notes",
    max_chars: 900,
  });
  expect(budget.used_chars).toBe(JSON.stringify(shown).length);
  expect(budget.used_chars).toBeLessThanOrEqual(900);
});
