import { join } from "node:path";
import { expect, test } from "vitest";
import { createRepository, createTranscript, repositoryOf } from "../support/git/repository.ts";
import { tempDir } from "../support/temp-dir.ts";
import { claudeRoot, clientHomes, writeLines } from "../support/transcripts.ts";
import { describeInBrowser, openObservatory, seriousFindings } from "./browser.testing.ts";

const lines = ["export const pool = {", "  size: 40, // <b>one</b> per worker", "};", ""];

describeInBrowser("a file with its reasons", (open) => {
  async function openShop() {
    const dataDir = join(tempDir(), "data");
    const repository = createRepository(repositoryOf({ dataDir }));
    repository.write("README.md", "# Shop\n");
    const start = repository.commit("docs: start", 0);
    repository.write("src/pool.ts", lines.join("\n"));
    repository.write("LICENSE", "Free\n");
    repository.commit("fix: size the pool", 12);
    const transcript = createTranscript({ dataDir }, "22222222-2222-4333-8444-555555555555");
    transcript.ask("Checkout times out. Find out why and fix it.", 5);
    transcript.think("40 workers share 10 connections, so the pool must have one per worker.", 6);
    transcript.use(
      "Write",
      { file_path: "/home/ada/shop/src/pool.ts", content: lines.join("\n") },
      { minute: 7 },
    );
    writeLines(join(claudeRoot({ dataDir }), transcript.path), transcript.lines);
    const observatory = await openObservatory({
      ...{ dataDir, env: clientHomes(dataDir), workingDirectory: repository.directory },
    });
    const { sessionId } = await observatory.call("transcripts_import", { ref: { path: transcript.path } });
    return { observatory, repository, sessionId, start };
  }

  test("names the thought behind its lines, and leads to it", async () => {
    const { observatory, sessionId } = await openShop();
    const page = await open(`${observatory.url}/#/f/${encodeURIComponent("src/pool.ts")}`, {
      reducedMotion: "reduce",
    });
    await page.getByText("3 of 3 lines").waitFor();
    await page.locator(".fb pre").getByText("<b>one</b>").waitFor();
    await page.locator(".fm", { hasText: "40 workers share 10 connections" }).click();
    const panel = page.getByRole("complementary", { name: "Reasons" });
    await panel.getByText("Checkout times out.").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await panel.getByRole("link", { name: /^1 in|^2 in/ }).click();
    await expect.poll(() => page.url()).toContain(sessionId);
    await page.goto(`${observatory.url}/#/f/${encodeURIComponent("nowhere.ts")}`);
    await page.getByText("Could not read the file").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("shows what a range of commits added, with reasons and a comment to copy", async () => {
    const { observatory, start } = await openShop();
    const page = await open(`${observatory.url}/#/f`, { reducedMotion: "reduce" });
    await page.getByLabel("Path of a file, or a range of commits").fill(`${start}...HEAD`);
    await page.keyboard.press("Enter");
    await page.getByText("3 of 4 added lines").waitFor();
    await page.locator(".chr", { hasText: "40 workers share 10 connections" }).waitFor();
    await page.locator(".chf pre").getByText("<b>one</b>").waitFor();
    await page.locator(".chr.un", { hasText: "No transcript at hand wrote these lines." }).waitFor();
    const comment = page.getByRole("complementary", { name: "Comment for the pull request" });
    expect(await comment.locator("pre").textContent()).toContain("### Why these lines");
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${observatory.url}/#/f/changes/nowhere%2E%2E%2EHEAD`);
    await page.getByText("Could not read the changes").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("shows what was decided about it, and that its ground has moved", async () => {
    const { observatory, repository } = await openShop();
    const { thought } = await observatory.call("decide", {
      ...{ title: "One connection per worker", chosen: "40", because: "Ten were too few." },
      files: ["src/pool.ts"],
    });
    repository.write("src/pool.ts", lines.join("\n").replace("40", "80"));
    repository.commit("perf: more", 30);
    const page = await open(`${observatory.url}/#/f/src%2Fpool%2Ets?l=1`, { reducedMotion: "reduce" });
    const decided = page.getByRole("complementary", { name: "Reasons" }).locator(".pinned");
    await decided.getByText("One connection per worker").waitFor();
    await decided.getByText("src/pool.ts changed since this was written.").waitFor();
    await page.goto(`${observatory.url}/#/m`);
    await page.locator("[data-card]", { hasText: "One connection per worker" }).click();
    await page.getByText("src/pool.ts changed since this was written.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const [session, number] = thought.split(":");
    await page.goto(observatory.at(session, `/${number}?view=outline`));
    const panel = page.getByRole("complementary", { name: "Thought" });
    await panel.getByText("Decided here").waitFor();
    await panel.getByText("src/pool.ts changed since this was written.").waitFor();
    expect(page.problems).toEqual([]);
  });
});
