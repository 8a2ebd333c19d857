import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TranscriptFormat } from "../../../src/domain/transcripts/entry.ts";
import { sessionIdOf } from "../../../src/domain/transcripts/session/describe-session.ts";
import { createRepository, repositoryOf } from "../../support/git/repository.ts";
import { backends, createTestApp } from "../../support/test-app.ts";
import { claudeRoot, codexRoot, writeLines } from "../../support/transcripts.ts";

const recorded = join(import.meta.dirname, "..", "..", "support", "recorded", "why");
type Expected = { path: string; line: string; by: string | null };
const expected: Expected[] = JSON.parse(readFileSync(join(recorded, "expected.json"), "utf8"));

test.each(backends)(
  "on %s, every line that Claude Code and Codex wrote is attributed to its session: fork and amend, rename, parallel sessions and squash, sub-agent, move, refused edit, re-indent, bot",
  async (backend) => {
    const app = createTestApp({ backend });
    const client = app.modern();
    const { directory, git } = createRepository(repositoryOf(app));
    execFileSync("git", ["-C", directory, "fast-import", "--quiet"], {
      input: readFileSync(join(recorded, "repository.fast-export")),
    });
    git(["reset", "--quiet", "--hard", "main"]);
    const formats = { claude: "claude-code", codex: "codex" } as const;
    const formatOf = new Map<string, TranscriptFormat>();
    for (const [name, root_dir] of [
      ["claude", claudeRoot(app)],
      ["codex", codexRoot(app)],
    ] as const) {
      const all = readdirSync(join(recorded, name), { recursive: true, encoding: "utf8" });
      const files = all.filter((path) => path.endsWith(".jsonl"));
      for (const path of files)
        writeLines(join(root_dir, path), [readFileSync(join(recorded, name, path), "utf8").trimEnd()]);
      for (const path of files.filter((one) => !one.includes("subagents"))) {
        await client.call("transcripts_import", { ref: { path }, root_dir });
        formatOf.set(/([0-9a-f-]{36})\.jsonl$/.exec(path)?.[1] ?? "", formats[name]);
      }
    }
    const found = await Promise.all(
      expected.map(async ({ path, line, by }) => {
        const number = readFileSync(join(directory, path), "utf8")
          .split("\n")
          .findIndex((text) => text.trim() === line);
        const { answers } = await client.call("why", { file: path, line: number + 1 });
        const sessionId = answers[0]?.by?.sessionId ?? null;
        return {
          path,
          line,
          by:
            [...formatOf].find(([id, format]) => sessionIdOf(format, id, "all") === sessionId)?.[0] ??
            (by === null ? sessionId : "nobody"),
        };
      }),
    );
    expect(found).toEqual(expected);
    const { answers } = await client.call("why", { file: "attempts.ts", line: 1 });
    const [refusal] = answers[0]?.given_up ?? [];
    expect(answers[0]?.asked?.text).toBe("No. The provider allows three attempts.");
    expect(refusal?.what).toBe("the user refused Write attempts.ts and then asked for the above");
    expect(expected.length).toBeGreaterThan(7);
  },
);
