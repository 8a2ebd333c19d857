import { join } from "node:path";
import { expect, test } from "vitest";
import { createRepository, createTranscript, repositoryOf } from "../support/git/repository.ts";
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

const failedRun = [
  "Exit code 1",
  " ✓ pool.test.ts",
  " × pool › grows",
  "   → expected 40, received 10",
  "      Tests  1 failed | 30 passed (31)",
].join("\n");
const read = (name: string, key: string) => call("Read", { file_path: `/home/ada/shop/src/${name}.ts` }, key);

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
  claudeLine("user", "r3", "a4", result("t3", failedRun, true), at(12)),
  claudeLine("assistant", "a5", "r3", [{ type: "thinking", thinking: "One test fails." }], at(13)),
];

describeInBrowser("what the agent did", (open) => {
  test("appears collapsed between its thoughts, with files, refusals and durations", async () => {
    const dataDir = join(tempDir(), "data");
    writeLines(join(claudeRoot({ dataDir }), path), lines);
    const observatory = await openObservatory({ dataDir, env: clientHomes(dataDir) });
    const { sessionId } = await observatory.call("transcripts_import", { ref: { path } });
    const page = await open(observatory.at(sessionId, "?view=outline"), { reducedMotion: "reduce" });
    const deeds = page.getByRole("complementary", { name: "What the agent did" });
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
    await page.locator(".ar", { hasText: "npm test" }).getByText("1 of 31 failed").waitFor();
    const failure = page.locator(".failure");
    expect(await failure.locator("pre").textContent()).toBe(
      " × pool › grows\n   → expected 40, received 10\n",
    );
    await failure.getByRole("button", { name: "Show all 5 lines" }).click();
    expect(await failure.locator("pre").textContent()).toContain("✓ pool.test.ts");
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("combines neighbouring reads into one line, which lists their files if it is opened", async () => {
    const dataDir = join(tempDir(), "data");
    const answer = claudeLine("assistant", "b7", "s3", [{ type: "text", text: "It is the queue." }], at(20));
    writeLines(join(claudeRoot({ dataDir }), path), [
      ...lines,
      claudeLine("assistant", "b1", "a5", read("pool", "t4"), at(14)),
      claudeLine("user", "s1", "b1", result("t4", "text"), at(15)),
      claudeLine("assistant", "b2", "s1", read("queue", "t5"), at(16)),
      claudeLine("user", "s2", "b2", result("t5", "text"), at(17)),
      claudeLine("assistant", "b3", "s2", read("job", "t6"), at(18)),
      claudeLine("user", "s3", "b3", result("t6", "text"), at(19)),
      answer,
    ]);
    const observatory = await openObservatory({ dataDir, env: clientHomes(dataDir) });
    const { sessionId } = await observatory.call("transcripts_import", { ref: { path } });
    const page = await open(observatory.at(sessionId, "?view=outline"), { reducedMotion: "reduce" });
    await page.locator(".bsum", { hasText: "3 reads" }).click();
    const row = page.locator(".ar", { hasText: "Read 3 files" });
    await row.getByText("5 min").waitFor();
    await row.getByRole("button", { name: "Read 3 files" }).click();
    expect(await row.getByRole("link").allTextContents()).toEqual([
      "shop/src/pool.ts",
      "shop/src/queue.ts",
      "shop/src/job.ts",
    ]);
    expect(await page.getByRole("img", { name: /3 reads/ }).count()).toBe(1);
    expect(await page.locator(".shades").count()).toBe(0);
    await page.locator(".or", { hasText: "It is the queue." }).click();
    const gap = page.getByRole("region", { name: /Actions from \d+ to \d+/ });
    await gap.getByText("3 actions in 7 min").waitFor();
    await gap.getByText("Time in this gap").waitFor();
    await page.locator(".shades").waitFor({ state: "attached" });
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("shows the call that is running, in the outline and on Home", async () => {
    const dataDir = join(tempDir(), "data");
    const now = Date.now();
    const ago = (seconds: number) => ({
      sessionId: id,
      timestamp: new Date(now - seconds * 1_000).toISOString(),
    });
    const file = join(claudeRoot({ dataDir }), path);
    const begun = [
      claudeLine("user", "u1", null, "Make the pool larger.", ago(20)),
      claudeLine("assistant", "a1", "u1", [{ type: "thinking", thinking: "40 workers share 10." }], ago(9)),
      claudeLine("assistant", "a2", "a1", call("Bash", { command: "npm test -- pool" }, "t1"), ago(8)),
    ];
    writeLines(file, begun);
    const observatory = await openObservatory({
      dataDir,
      env: { ...clientHomes(dataDir), THOUGHTBOX_CAPTURE: "on" },
    });
    await observatory.capture.catchUp();
    const page = await open(observatory.url, { reducedMotion: "reduce" });
    await page.locator(".nc .do", { hasText: "npm test -- pool" }).waitFor();
    await page.locator(".nc").click();
    await page.keyboard.press("o");
    await page.locator(".run-row", { hasText: "npm test -- poolrunning" }).waitFor();
    writeLines(file, [...begun, claudeLine("user", "r1", "a2", result("t1", "ok"), ago(0))]);
    await observatory.capture.catchUp();
    await page.locator(".bsum", { hasText: "1 test run" }).waitFor();
    await expect.poll(() => page.locator(".run-row").count(), { timeout: 10_000 }).toBe(0);
  });

  test("links an edit to its lines in the file", async () => {
    const dataDir = join(tempDir(), "data");
    const repository = createRepository(repositoryOf({ dataDir }));
    repository.write("src/pool.ts", "// The pool\n\n");
    repository.commit("docs: start", 0);
    const added = "export const size = 40;\nexport const wait = 5;\n";
    repository.write("src/pool.ts", `// The pool\n\n${added}`);
    repository.commit("fix: size the pool", 12);
    const transcript = createTranscript({ dataDir }, "22222222-2222-4333-8444-555555555555");
    transcript.ask("Make the pool larger.", 5);
    transcript.think("40 workers share 10 connections.", 6);
    const file_path = join(repository.directory, "src/pool.ts");
    transcript.use("Edit", { file_path, old_string: "", new_string: added }, { minute: 7 });
    writeLines(join(claudeRoot({ dataDir }), transcript.path), transcript.lines);
    const observatory = await openObservatory({
      ...{ dataDir, env: clientHomes(dataDir), workingDirectory: repository.directory },
    });
    const { sessionId } = await observatory.call("transcripts_import", { ref: { path: transcript.path } });
    const page = await open(observatory.at(sessionId, "?view=outline"), { reducedMotion: "reduce" });
    await page.locator(".bsum", { hasText: "1 edit" }).click();
    await page
      .locator(".ar")
      .getByRole("link", { name: /src\/pool\.ts/ })
      .click();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/f/src/pool.ts?l=3-4");
    await page.getByRole("complementary", { name: "Reasons" }).waitFor();
  });

  test("is not guessed for a session without a transcript", async () => {
    const observatory = await openObservatory();
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Alone" });
    await observatory.think(sessionId, "S1|O|The pool is small");
    const page = await open(observatory.at(sessionId, "/1"), { reducedMotion: "reduce" });
    await page.getByText("Thoughts only: no transcript of this session.").waitFor();
  });
});
