import { describe, expect, test } from "vitest";
import { createTestApp } from "../support/test-app.ts";

type Json = Record<string, any>;

const workspace = "acme";
const env = { THOUGHTBOX_PROJECT: "acme" };

describe("changes", () => {
  test("shows thoughts, notes, cards and tasks of the project in order, and continues from since", async () => {
    const client = createTestApp({ env }).modern();
    await client.call("thought", { thought: "The pool is too small" });
    await client.call("notes_commit", { workspace, content: "Waits grow with load", agent_id: "ada" });
    await client.call("think_add_decision", { workspace, card: "Cap the pool", agent_id: "bo" });
    await client.call("tasks_create", { workspace, title: "Faster logins" });
    await client.call("notes_commit", { workspace: "other", content: "of another project" });
    const all = await client.call("changes", { workspace, since: "0" });
    const texts = all.changes.map(({ text = "" }: Json) => text).join("\n");
    for (const words of ["The pool is too small", "Waits grow with load", "Cap the pool", "Faster logins"])
      expect(texts).toContain(words);
    expect(texts).not.toContain("another project");
    expect(all.changes).toContainEqual(
      expect.objectContaining({ kind: "note_committed", agent_id: "ada", text: "Waits grow with load" }),
    );
    expect(all.has_more).toBe(false);
    expect((await client.call("changes", { workspace, since: all.since })).changes).toEqual([]);

    const seen: number[] = [];
    for (let since: unknown = 0; ; ) {
      const page: Json = await client.call("changes", { workspace, since, limit: 1 });
      seen.push(...page["changes"].map(({ seq }: Json) => seq));
      since = page["since"];
      if (!page["has_more"]) break;
    }
    expect(seen).toEqual(all.changes.map(({ seq }: Json) => seq));
    const pages: number[] = [];
    for (let since: unknown = "0"; ; ) {
      const page: Json = await client.call("changes", { workspace, since, max_chars: 400 });
      pages.push(...page["changes"].map(({ seq }: Json) => seq));
      since = page["since"];
      if (!page["has_more"]) break;
    }
    expect(pages).toEqual(seen);
  });

  test("without since, shows what others did after the last write of this agent", async () => {
    const client = createTestApp({ env }).modern();
    const note = (content: string, agent_id: string) =>
      client.call("notes_commit", { workspace, content, agent_id });
    await note("first", "ada");
    await note("mine", "bo");
    await note("later", "ada");
    const { changes } = await client.call("changes", { workspace, agent_id: "bo" });
    expect(changes).toMatchObject([{ text: "later", agent_id: "ada" }]);
    expect((await client.call("changes", { workspace, agent_id: "cy" })).changes.length).toBeGreaterThan(2);
  });

  test("since a time shows what happened from then on", async () => {
    const clock = { now: Date.UTC(2026, 0, 1) };
    const client = createTestApp({ env, clock: () => new Date(clock.now) }).modern();
    for (let day = 1; day <= 5; day += 1) {
      await client.call("notes_commit", { workspace, content: `day ${day}` });
      clock.now += 86_400_000;
    }
    const { changes } = await client.call("changes", { workspace, since: "2026-01-03T00:00:00Z" });
    expect(changes.map(({ text }: Json) => text)).toEqual(["day 3", "day 4", "day 5"]);
  });

  test("returns no changes for a fresh workspace and does not create it", async () => {
    const client = createTestApp({ env }).modern();
    expect(await client.call("changes", { workspace })).toMatchObject({ changes: [], has_more: false });
    expect(await client.call("status", { workspace })).toMatchObject({ workspace_exists: false });
  });
});
