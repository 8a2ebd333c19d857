import { join } from "node:path";
import { expect, test } from "vitest";
import { createRepository, createTranscript, repositoryOf } from "../support/git/repository.ts";
import { tempDir } from "../support/temp-dir.ts";
import { claudeRoot, clientHomes, writeLines } from "../support/transcripts.ts";
import { describeInBrowser, openObservatory, seriousFindings } from "./browser.testing.ts";

const lines = ["export const pool = {", "  size: 40, // <b>one</b> per worker", "};", ""];

describeInBrowser("a file with its reasons", (open) => {
  async function openShop({ isAtHome = false } = {}) {
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
      {
        file_path: join(isAtHome ? repository.directory : "/home/ada/shop", "src/pool.ts"),
        content: lines.join("\n"),
      },
      { minute: 7 },
    );
    writeLines(join(claudeRoot({ dataDir }), transcript.path), transcript.lines);
    const observatory = await openObservatory({
      ...{ dataDir, env: clientHomes(dataDir), workingDirectory: repository.directory },
    });
    const { sessionId } = await observatory.call("transcripts_import", { ref: { path: transcript.path } });
    return { observatory, repository, sessionId, start };
  }

  test("is listed in its folder, with the share of its lines that have a reason", async () => {
    const { observatory } = await openShop({ isAtHome: true });
    const page = await open(`${observatory.url}/#/f`, { reducedMotion: "reduce" });
    const files = page.getByRole("group", { name: "Files" });
    await page.locator("main").getByText("src/pool.ts").waitFor();
    const folder = files.getByRole("button", { name: /src/ });
    await folder.getByText("3 of 3 lines have a reason").waitFor({ state: "attached" });
    expect(await files.getByRole("link", { name: "LICENSE" }).count()).toBe(1);
    await folder.click();
    const file = files.getByRole("link", { name: /pool\.ts/ });
    await file.getByText("3 of 3 lines have a reason").waitFor({ state: "attached" });
    await file.click();
    await page.locator("main").getByText("3 of 3 lines").waitFor();
    expect(new URL(page.url()).hash).toBe("#/f/src/pool.ts");
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Changes" }).click();
    await page.getByLabel("Commits").waitFor();
    await page.getByRole("button", { name: "File", exact: true }).click();
    await page.locator(".fb pre").first().waitFor();
    expect(page.problems).toEqual([]);
  });

  test("names the thought behind its lines and links to it", async () => {
    const { observatory, sessionId } = await openShop();
    const page = await open(`${observatory.url}/#/f/${encodeURIComponent("src/pool.ts")}`, {
      reducedMotion: "reduce",
    });
    await page.getByText("3 of 3 lines", { exact: true }).waitFor();
    await page.locator(".fb pre").getByText("<b>one</b>").waitFor();
    await page.locator(".fm", { hasText: "40 workers share 10 connections" }).click();
    const panel = page.getByRole("complementary", { name: "Reasons" });
    await panel.getByText("Checkout times out.").first().waitFor();
    expect(new URL(page.url()).hash).toContain("l=1-3");
    expect(await seriousFindings(page)).toEqual([]);
    await panel.getByRole("link", { name: /^2 / }).click();
    await expect.poll(() => page.url()).toContain(sessionId);
    await page.goto(`${observatory.url}/#/f/${encodeURIComponent("nowhere.ts")}`);
    await page.getByText("File not found").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.getByRole("link", { name: "All files" }).waitFor();
    expect(page.problems).toEqual([]);
  });

  test("can be read with the keyboard: blocks, lines, and the thought behind them", async () => {
    const { observatory, repository, sessionId } = await openShop();
    repository.write("src/pool.ts", `// by hand\n${lines.join("\n")}`);
    repository.commit("docs: by hand", 40, { author: "Mara" });
    repository.write("src/pool.ts", `// by hand\n${lines.join("\n")}// later\n`);
    const page = await open(`${observatory.url}/#/f/src/pool.ts`, {
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.locator(".fm", { hasText: "40 workers share 10 connections" }).waitFor();
    await page.locator(".fm", { hasText: "docs: by hand" }).waitFor();
    await page.locator(".fm", { hasText: "Not committed yet" }).waitFor();
    const hash = () => new URL(page.url()).hash;
    const press = async (key: string, place: string) => {
      await page.keyboard.press(key);
      await expect.poll(hash).toBe(`#/f/src/pool.ts${place}`);
    };
    await press("j", "?l=1");
    await press("j", "?l=2-4");
    await press("ArrowDown", "?l=2");
    await press("ArrowDown", "?l=3");
    await press("ArrowUp", "?l=2");
    await press("j", "?l=5");
    const panel = page.getByRole("complementary", { name: "Reasons" });
    await panel.getByText("not committed yet").waitFor();
    await press("k", "?l=2-4");
    await page.locator(".fcode").nth(1).getByText("size: 40").click();
    await expect.poll(hash).toBe("#/f/src/pool.ts?l=3");
    await page.keyboard.press("y");
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("#/f/src/pool.ts?l=3");
    await press("Escape", "");
    await press("j", "?l=1");
    await press("j", "?l=2-4");
    await page.keyboard.press("Enter");
    await expect.poll(hash).toBe(`#/s/${sessionId}/2`);
    expect(page.problems).toEqual([]);
  });

  test("is shown as it was in a commit", async () => {
    const { observatory, repository } = await openShop();
    const before = repository.git(["rev-parse", "HEAD"]).trim();
    repository.write("src/pool.ts", "// all gone\n");
    repository.commit("refactor: no pool", 20);
    const page = await open(`${observatory.url}/#/f/src/pool.ts?l=2&at=${before}`, {
      reducedMotion: "reduce",
    });
    await page.locator(".fm", { hasText: "40 workers share 10 connections" }).waitFor();
    const panel = page.getByRole("complementary", { name: "Reasons" });
    await panel.getByText("Checkout times out.").first().waitFor();
    await page.getByText(`As of ${before.slice(0, 7)}`).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "Show newest" }).click();
    await page.locator(".fl-line", { hasText: "all gone" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/f/src/pool.ts");
    expect(page.problems).toEqual([]);
  });

  test("is requested in parts if it is long, and states why it cannot be shown", async () => {
    const { observatory, repository } = await openShop();
    const line = (n: number) => `export const constantNumber${n} = ${n};`;
    const long = Array.from({ length: 6_000 }, (_, n) => line(n + 1));
    repository.write("src/long.ts", `${long.join("\n")}\n`);
    repository.write("big.txt", "a line that repeats\n".repeat(110_000));
    repository.write("logo.png", "\u0000PNG\u0000");
    repository.commit("feat: many", 20);
    const asked: string[] = [];
    const page = await open(`${observatory.url}/#/f`, { reducedMotion: "reduce" });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.searchParams.get("file") === "src/long.ts") asked.push(url.searchParams.get("to") ?? "all");
    });
    await page.goto(`${observatory.url}/#/f/src/long.ts?l=5900`);
    await page.locator(".fl-line", { hasText: line(5_900) }).waitFor();
    await page.locator(".fm", { hasText: "feat: many" }).first().waitFor();
    expect(await page.getByText("6,000 lines").isVisible()).toBe(true);
    expect(await page.locator(".fl-line", { hasText: line(3_000) }).count()).toBe(0);
    expect(asked).not.toContain("all");
    expect(asked).toContain("6000");
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${observatory.url}/#/f/big.txt`);
    await page.getByText("Too large to show").waitFor();
    await page.getByText("thoughtbox why big.txt:1-40").waitFor();
    await page.goto(`${observatory.url}/#/f/logo.png`);
    await page.getByText("Not a text file").waitFor();
    await page.goto(`${observatory.url}/#/f/src`);
    await page.getByText("In the folder").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("keeps its reasons in place while the code scrolls sideways", async () => {
    const { observatory, repository } = await openShop();
    repository.write("src/pool.ts", `${lines.join("\n")}// ${"wide ".repeat(80)}\nx();\n`);
    repository.commit("style: wide", 20);
    const page = await open(`${observatory.url}/#/f/src/pool.ts`, { reducedMotion: "reduce" });
    await page.locator(".fm", { hasText: "40 workers share 10 connections" }).waitFor();
    const box = page.locator(".fwb");
    expect(await page.locator(".fb").evaluateAll((all) => all.map((one: any) => one.offsetHeight))).toEqual([
      60, 40,
    ]);
    const left = () => page.locator(".fm").first().boundingBox();
    const before = await left();
    await box.evaluate((element: any) => element.scrollBy(5_000, 0));
    expect(await box.evaluate((element: any) => element.scrollLeft)).toBeGreaterThan(500);
    expect(await left()).toEqual(before);
  });

  test("needs a repository", async () => {
    const observatory = await openObservatory({ workingDirectory: tempDir() });
    const page = await open(`${observatory.url}/#/f`);
    await page.getByText("No repository here").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${observatory.url}/#/f/changes`);
    await page.getByText("No repository here").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("shows what a range of commits added, with reasons and a comment to copy", async () => {
    const { observatory, sessionId, start } = await openShop();
    const page = await open(`${observatory.url}/#/f`, {
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByLabel("File path or commit range").fill(`${start}...HEAD`);
    await page.keyboard.press("Enter");
    await page.locator(".cov").getByText("3 of 4 added lines").waitFor();
    await page.locator(".chr", { hasText: "40 workers share 10 connections" }).waitFor();
    await page.locator(".chf pre").getByText("<b>one</b>").waitFor();
    await page.locator(".chr.un", { hasText: "No imported session wrote these lines." }).waitFor();
    const comment = page.getByRole("complementary", { name: "Comment for the pull request" });
    await comment.getByText("LICENSE:1").waitFor();
    expect(await comment.getByRole("checkbox").count()).toBe(5);
    expect(await comment.getByLabel("Your refusals, in your words").isDisabled()).toBe(true);
    await comment.getByRole("button", { name: "Markdown", exact: true }).click();
    const preview = comment.locator("pre");
    const words = "2 files, 4 added lines: **3 have a reason**, 1 does not.";
    expect(await preview.textContent()).toContain(`### Why these lines\n\n${words}`);
    expect(await preview.textContent()).toContain("**No reason known**\n\n- `LICENSE:1`");
    expect(await preview.textContent()).not.toContain("Checkout times out");
    await comment.getByLabel("What was asked").check();
    await comment.getByLabel("Lines without a reason").uncheck();
    expect(await preview.textContent()).toContain("**Asked**\n\n- Checkout times out.");
    expect(await preview.textContent()).not.toContain("LICENSE");
    expect(await page.locator(".covb i").count()).toBe(2);
    await page
      .getByRole("group", { name: "Files" })
      .getByRole("button", { name: /pool\.ts/ })
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("y");
    await page.getByText("The comment.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(await preview.textContent());
    await page.locator("body").click({ position: { x: 300, y: 880 } });
    for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key);
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/s/${sessionId}/2`);
    await page.goto(`${observatory.url}/#/f/changes/nowhere%2E%2E%2EHEAD`);
    await page.getByText("No changes to show").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("lists a range with a large file immediately, and reads the file only on request", async () => {
    const { observatory, repository, start } = await openShop();
    repository.write("data/rows.txt", Array.from({ length: 6_000 }, (_, n) => `row ${n + 1}`).join("\n"));
    repository.commit("feat: rows", 20);
    const page = await open(`${observatory.url}/#/f/changes/${start}%2E%2E%2EHEAD`, {
      reducedMotion: "reduce",
    });
    await page.locator(".cov").getByText("3 of 4 added lines").waitFor();
    await page.locator(".cov").getByText("without 1 large file").waitFor();
    const rows = page.locator(".chf", { hasText: "data/rows.txt" });
    await rows.getByText("6,000 added lines, not shown").waitFor();
    expect(await rows.locator("pre").count()).toBe(0);
    const comment = page.getByRole("complementary", { name: "Comment for the pull request" });
    await comment.getByRole("button", { name: "Write the comment" }).click();
    await comment.getByText("Not counted: 1 large file.").waitFor();
    await rows.getByRole("button", { name: "Show the first 500" }).click();
    await rows.getByRole("button", { name: "460 more lines" }).click();
    await rows.locator(".add").getByText("row 500", { exact: true }).waitFor();
    await rows.getByText("5,500 more added lines, not shown").waitFor();
    await page.locator(".cov").getByText("3 of 4 added lines").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("shows the lines that a range of commits removed, at their old place", async () => {
    const { observatory, repository } = await openShop();
    repository.write("src/old.ts", "a();\n<i>gone</i>\nb();\nc();\n");
    repository.write("src/pool.ts", lines.join("\n").replace("40", "10"));
    const before = repository.commit("refactor: before", 20);
    repository.git(["checkout", "--quiet", "-b", "other"]);
    repository.write("src/old.ts", "never on main\n");
    repository.commit("test: elsewhere", 21);
    repository.git(["checkout", "--quiet", "main"]);
    repository.write("src/old.ts", "a();\nb();\nc();\nd();\n");
    repository.write("src/pool.ts", lines.join("\n"));
    repository.commit("fix: after", 22);
    const page = await open(`${observatory.url}/#/f/changes/${before}%2E%2E%2EHEAD`, {
      reducedMotion: "reduce",
    });
    const file = (name: string) => page.locator(".chf", { hasText: name });
    await file("src/pool.ts").locator(".del").getByText("size: 10").waitFor();
    expect(await file("src/pool.ts").locator("pre").first().textContent()).toBe(
      "2−  size: 10, // <b>one</b> per worker\n2+  size: 40, // <b>one</b> per worker\n",
    );
    const old = file("src/old.ts");
    await old.getByText("Lines were removed here.").waitFor();
    expect(await old.getByRole("group", { name: "Removed lines" }).textContent()).toBe("2−<i>gone</i>\n");
    await old.getByText("−1").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${observatory.url}/#/f/changes/other%2E%2E%2EHEAD`);
    await old.locator(".del").getByText("gone").waitFor();
    expect(await page.getByText("never on main").count()).toBe(0);
    expect(page.problems).toEqual([]);
  });

  test("shows the last lines of a deleted file, in a range and on its page", async () => {
    const { observatory, repository, start } = await openShop();
    repository.write("README.md", "# Shop\nOne\nTwo\n");
    const before = repository.commit("docs: more", 18);
    repository.remove("src/pool.ts");
    repository.write("README.md", "# Shop\nTwo\n");
    const head = repository.commit("refactor: no <b>pool</b>", 20);
    const page = await open(`${observatory.url}/#/f/changes/${before}%2E%2E%2EHEAD`, {
      reducedMotion: "reduce",
    });
    const file = (name: string) => page.locator(".chf", { hasText: name });
    await file("src/pool.ts")
      .getByText(`Commit ${head.slice(0, 7)}: refactor: no <b>pool</b>`)
      .waitFor();
    expect(await file("src/pool.ts").locator(".del").count()).toBe(3);
    expect(await file("README.md").locator(".del").textContent()).toBe("2−One\n");
    await page.goto(`${observatory.url}/#/f/changes/${start}%2E%2E%2E${before}`);
    await file("LICENSE").waitFor();
    await page.goto(`${observatory.url}/#/f/src%2Fpool%2Ets`);
    await page.getByText("This file was deleted").waitFor();
    await page.locator(".gone-file .del").getByText("<b>one</b> per worker").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("shows what was decided about it, and that it has changed since", async () => {
    const { observatory, repository } = await openShop();
    const { id, thought } = await observatory.call("decide", {
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
    const other = { title: "Ten connections", chosen: "10", because: "The database allows ten." };
    await observatory.call("decide", { ...other, files: ["src/pool.ts"], reverses: [id] });
    await page.goto(`${observatory.url}/#/f/src%2Fpool%2Ets?l=2`);
    await decided.filter({ hasText: "One connection per worker" }).getByText("Reversed.").waitFor();
    expect(page.problems).toEqual([]);
  });

  test("scrolls to the line that a link names, but not if that line is visible", async () => {
    const { observatory, repository } = await openShop();
    const long = Array.from({ length: 400 }, (_, n) => `export const constantNumber${n + 1} = ${n};`);
    repository.write("src/long.ts", `${long.join("\n")}\n`);
    repository.commit("feat: many", 20);
    const page = await open(`${observatory.url}/#/f/src%2Flong%2Ets?l=205`, { reducedMotion: "reduce" });
    const line = (n: number) => page.locator(".fl-line", { hasText: `constantNumber${n} =` });
    await line(205).waitFor();
    const isSeen = (n: number) =>
      line(n).evaluate((element) => {
        const [at, view] = [element, element.closest(".fwb")].map((one) => one?.getBoundingClientRect());
        return at !== undefined && view !== undefined && at.top >= view.top && at.bottom <= view.bottom;
      });
    await expect.poll(() => isSeen(205)).toBe(true);
    expect(await isSeen(1)).toBe(false);
    await page.goto(`${observatory.url}/#/f/src%2Flong%2Ets?l=390`);
    await expect.poll(() => isSeen(390)).toBe(true);
    const top = await page.locator(".fwb").evaluate(({ scrollTop }) => scrollTop);
    await page.goto(`${observatory.url}/#/f/src%2Flong%2Ets?l=388`);
    await expect.poll(() => page.locator(".fat").getAttribute("style")).toContain("--at: 387");
    expect(await page.locator(".fwb").evaluate(({ scrollTop }) => scrollTop)).toBe(top);
    expect(page.problems).toEqual([]);
  });
});
