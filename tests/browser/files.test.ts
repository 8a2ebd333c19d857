import { join } from "node:path";
import { expect, test } from "vitest";
import { createRepository, createTranscript, repositoryOf } from "../support/git/repository.ts";
import { tempDir } from "../support/temp-dir.ts";
import { claudeRoot, clientHomes, writeLines } from "../support/transcripts.ts";
import { describeInBrowser, openObservatory, seriousFindings } from "./browser.testing.ts";

const lines = ["export const pool = {", "  size: 40, // <b>one</b> per worker", "};", ""];

describeInBrowser("a file with its reasons", (open) => {
  test("names the thought behind its lines, and leads to it", async () => {
    const dataDir = join(tempDir(), "data");
    const repository = createRepository(repositoryOf({ dataDir }));
    repository.write("README.md", "# Shop\n");
    repository.commit("docs: start", 0);
    repository.write("src/pool.ts", lines.join("\n"));
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
});
