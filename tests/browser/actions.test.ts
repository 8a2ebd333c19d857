import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { claudeLine, claudeRoot, clientHomes, writeLines } from "../support/transcripts.ts";
import { describeInBrowser, openObservatory, seriousFindings } from "./browser.testing.ts";

const id = "aaaaaaaa-2222-4333-8444-555555555555";
const path = `-home-ada-shop/${id}.jsonl`;
const at = (minute: number) => ({
  sessionId: id,
  timestamp: new Date(Date.UTC(2026, 2, 2, 10, minute)).toISOString(),
});
const call = (name: string, input: object, key: string) => [{ type: "tool_use", id: key, name, input }];
const result = (key: string, content: string, is_error = false) => [
  { type: "tool_result", tool_use_id: key, content, is_error },
];
const refusal =
  "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nNot there.";

const lines = [
  claudeLine("user", "u1", null, "Make the pool larger.", at(0)),
  claudeLine("assistant", "a1", "u1", [{ type: "thinking", thinking: "40 workers share 10." }], at(2)),
  claudeLine(
    "assistant",
    "a2",
    "a1",
    call("Edit", { file_path: "/home/ada/shop/src/<b>pool.ts", old_string: "a", new_string: "b\nc" }, "t1"),
    at(3),
  ),
  claudeLine("user", "r1", "a2", result("t1", "updated"), at(4)),
  claudeLine("assistant", "a3", "r1", call("Write", { file_path: "/etc/hosts", content: "x" }, "t2"), at(5)),
  claudeLine("user", "r2", "a3", result("t2", refusal, true), at(9)),
  claudeLine("assistant", "a4", "r2", call("Bash", { command: "npm test" }, "t3"), at(10)),
  claudeLine("user", "r3", "a4", result("t3", "Exit code 1\n1 failed", true), at(12)),
  claudeLine("assistant", "a5", "r3", [{ type: "thinking", thinking: "One test fails." }], at(13)),
];

describeInBrowser("what the agent did", (open) => {
  test("stands between its thoughts, folded, with files, refusals and the time it took", async () => {
    const dataDir = join(tempDir(), "data");
    writeLines(join(claudeRoot({ dataDir }), path), lines);
    const observatory = await openObservatory({ dataDir, env: clientHomes(dataDir) });
    const { sessionId } = await observatory.call("transcripts_import", { ref: { path } });
    const page = await open(observatory.at(sessionId, "?view=outline"), { reducedMotion: "reduce" });
    const deeds = page.getByRole("complementary", { name: "What it did" });
    await deeds.getByText("Waiting for you").waitFor();
    expect(await deeds.textContent()).toContain("src/<b>pool.ts+2−1");
    expect(await deeds.textContent()).toContain("Not there.");
    expect(await page.locator(".acts-row .ab").count()).toBe(3);
    await page.locator(".bsum .bad", { hasText: "1 refused" }).waitFor();
    expect(await page.locator(".alist").count()).toBe(0);
    await page.keyboard.press("A");
    await page.locator(".ar.no", { hasText: "refused by you" }).waitFor();
    const edited = page.locator(".ar").getByRole("link", { name: "shop/src/<b>pool.ts" });
    expect(await edited.getAttribute("href")).toContain("#/f/");
    await page.locator(".ar", { hasText: "npm test" }).getByText("failed, exit 1").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });
});
