import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { describeInBrowser, openObservatory, seriousFindings, thinkAboutReports } from "./browser.testing.ts";

const attack =
  '<img src=x onerror="window.pwned=1"> </script><script>window.pwned=2</script> [click](javascript:window.pwned=3) ![pic](https://example.com/a.png) \u202etxet\u200b';

const evilName = "\\u003csvg onload=window.pwned=4\\u003e\\u202e";

describeInBrowser("what agents write", (open) => {
  test("is shown as text wherever it appears, and hidden characters are visible", async () => {
    const { call, think, at, url } = await openObservatory();
    const { sessionId } = await call("start_new", {
      sessionTitle: `<b onclick=alert(1)>title</b> \u202eeltit`,
    });
    await think(sessionId, attack);
    await think(sessionId, attack, { branchFromThought: 1, branchId: "evil-name" });
    const page = await open(url);
    // The server refuses such names, but the page must not rely on that.
    await page.routeWebSocket(/.*/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => socket.send(String(message).replaceAll("evil-name", evilName)));
    });
    await page.goto(at(sessionId, "/1"));
    await page.reload();
    const body = page.locator(".db .md");
    await body.waitFor();
    const text = await body.textContent();
    expect(text).toContain('<img src=x onerror="window.pwned=1">');
    expect(text).toContain("</script><script>window.pwned=2</script>");
    expect(text).toContain("[click](javascript:window.pwned=3)");
    expect(await body.locator(".hidden-char").allTextContents()).toEqual(["U+202E", "U+200B"]);
    expect(
      await body.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
    ).toEqual(["https://example.com/a.png"]);
    expect(await page.locator(".links").textContent()).toContain("<svg onload=window.pwned=4>U+202E");
    for (const hash of ["?view=outline", "/compare", "?q=pwned"]) {
      await page.goto(at(sessionId, hash));
      await page.locator(".top").waitFor();
    }
    await page.goto(url);
    await page.locator(".nc", { hasText: "title" }).waitFor();
    await page.goto(`${url}/#/sessions`);
    await page.locator(".tr", { hasText: "title" }).waitFor();
    expect(await page.locator(".tr", { hasText: "title" }).first().textContent()).toContain("\\u{202e}eltit");
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(await page.locator("img, svg[onload], script:not([src])").count()).toBe(0);
    expect(page.problems).toEqual([]);
  });

  test("can be shared from a phone", async () => {
    const observatory = await openObservatory();
    const page = await open(observatory.at(await thinkAboutReports(observatory)), {
      ...{ viewport: { width: 390, height: 800 }, hasTouch: true, reducedMotion: "reduce" },
    });
    const button = page.getByRole("button", { name: "Share" });
    const box = await button.boundingBox();
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    await button.click();
    await page.getByRole("dialog", { name: "Share" }).getByText("One HTML file").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(page.problems).toEqual([]);
  });

  test("of the sample session, which no server stores, can be shared only as a picture, text or link", async () => {
    const { url } = await openObservatory();
    const page = await open(`${url}/#/s/sample`);
    await page.getByRole("button", { name: "Share" }).click();
    const ways = page.getByRole("dialog", { name: "Share" }).locator("button b");
    await ways.first().waitFor();
    expect(await ways.allTextContents()).toEqual(["Picture", "Mermaid", "Link"]);
    expect(page.problems).toEqual([]);
  });

  test("is safe in a shared file, which opens without a server", async () => {
    const observatory = await openObservatory();
    const sessionId = await thinkAboutReports(observatory);
    await observatory.think(sessionId, attack);
    const { notebookId } = await observatory.call("notebook.create", { sessionId, name: "Sums" });
    const { cellId } = await observatory.call("notebook.add_cell", {
      ...{ sessionId, notebookId, type: "code", filename: "sum.js" },
      content: `console.log("printed"); display({ mime: "text/html", data: ${JSON.stringify(attack)} }); 33 * 3`,
    });
    await observatory.call("notebook.run_cell", { sessionId, notebookId, cellId, recordAs: { sessionId } });
    const page = await open(observatory.at(sessionId));
    await page.locator(".tc").first().waitFor();
    await page.keyboard.press("e");
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: /One HTML file/ }).click();
    const html = readFileSync(await (await downloading).path(), "utf8");
    expect(html).not.toContain("<script>window.pwned");
    await observatory.stop();
    const file = join(tempDir(), "session.html");
    writeFileSync(file, html);
    const shared = await open(pathToFileURL(file).href);
    await shared.getByRole("heading", { name: "Why is the report late?" }).waitFor();
    expect(await shared.locator(".tc").count()).toBe(12);
    await shared.getByRole("button", { name: "Outline" }).click();
    await shared.getByRole("treeitem", { name: /Two causes/ }).click();
    await shared.getByText("What changed").waitFor();
    await shared.getByRole("treeitem", { name: /onerror/ }).click();
    const body = shared.locator(".db .md");
    await body.getByText("[click](javascript:window.pwned=3)").waitFor();
    const links = await body
      .locator("a")
      .evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    expect(links).toEqual(["https://example.com/a.png"]);
    expect(await shared.locator("img").count()).toBe(0);
    await shared.getByRole("treeitem", { name: /sum\.js/ }).click();
    const cell = shared.locator(".cell");
    await cell.getByText("console.log").waitFor();
    const shown = await cell.textContent();
    for (const part of ["sum.js", "printed", "99", "text/html", "<img src=x onerror"])
      expect(shown).toContain(part);
    expect(await shared.evaluate("window.pwned")).toBeUndefined();
    expect(shared.problems).toEqual([]);
  });
});

describe("every view", () => {
  describeInBrowser("accessibility", (open) => {
    test.each(["dark", "light"] as const)("has no serious axe findings in %s", async (colorScheme) => {
      const observatory = await openObservatory();
      const page = await open(observatory.url, { colorScheme, reducedMotion: "reduce" });
      const findings: string[] = [];
      const check = async (view: string, ready: string) => {
        await page.locator(ready).first().waitFor();
        for (const finding of await seriousFindings(page)) findings.push(`${view}: ${finding}`);
      };
      await check("first run", ".fr");
      const sessionId = await thinkAboutReports(observatory);
      const go = (rest: string) => page.goto(observatory.at(sessionId, rest));
      await go("/6");
      await check("graph and detail", ".detail");
      await go("?t=5");
      await check("replay", ".now-button");
      await go("/5?view=outline");
      await check("outline", "[role=tree]");
      await go("/compare/main..slow-query");
      await check("compare", ".cc");
      await page.goto(`${observatory.url}/#/`);
      await check("home", ".nc");
      await page.goto(`${observatory.url}/#/?show=givenUp`);
      await check("all dead ends", ".whole .ev");
      await page.goto(`${observatory.url}/#/sessions`);
      await check("sessions", ".tr");
      await page.goto(`${observatory.url}/#/m`);
      await check("memory", ".board h2");
      await page.keyboard.press("Control+k");
      await check("palette", ".pal .r");
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await check("keys", ".key-groups");
      expect(findings).toEqual([]);
    });
  });
});

describeInBrowser("the token page", (open) => {
  test("fits a phone and has no findings", async () => {
    const observatory = await openObservatory({ env: { THOUGHTBOX_AUTH: "token" } });
    const page = await open(observatory.url, { viewport: { width: 390, height: 800 } });
    const heading = page.getByRole("heading", { name: "This page needs the token" });
    await heading.waitFor();
    const box = await page.locator(".box").boundingBox();
    expect([box?.x, (box?.x ?? 0) + (box?.width ?? 0)]).toEqual([16, 374]);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("copies its command, reports a wrong token, and opens the requested address with the right one", async () => {
    const token = "the-right-token";
    const observatory = await openObservatory({
      env: { THOUGHTBOX_AUTH: "token", THOUGHTBOX_TOKEN: token },
    });
    const { sessionId } = await observatory.call("start_new", { sessionTitle: "Behind the token" });
    await observatory.think(sessionId, "S1|O|Private");
    const page = await open(observatory.at(sessionId, "?view=outline"), {
      permissions: ["clipboard-read", "clipboard-write"],
      colorScheme: "dark",
    });
    const canvas = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.getByRole("button", { name: "Copy command" }).click();
    await page.locator("#copied:visible").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("thoughtbox observatory");
    const dark = await canvas();
    await page.getByRole("button", { name: "Light or dark" }).click();
    expect(await canvas()).not.toBe(dark);
    const field = page.getByLabel("Or paste the address or the token");
    await field.fill("wrong");
    await field.press("Enter");
    await page.getByRole("alert").getByText("This server does not accept that token.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await field.fill(`${observatory.url}/?token=${token}`);
    await field.press("Enter");
    await page.getByRole("heading", { name: "Behind the token" }).waitFor();
    expect(page.url()).toBe(observatory.at(sessionId, "?view=outline"));
    // The application keeps the colours that were chosen before.
    expect(await page.locator("html").getAttribute("data-theme")).toBe("light");
    expect(page.problems).toEqual([]);
  });

  test("appears as a bar if the token changes under an open page, which stays readable", async () => {
    const guarded = (token: string) => ({ THOUGHTBOX_AUTH: "token", THOUGHTBOX_TOKEN: token });
    const first = await openObservatory({ env: guarded("the-first-token") });
    const { sessionId } = await first.call("start_new", { sessionTitle: "Still readable" });
    await first.think(sessionId, "S1|O|Private");
    const page = await open(`${first.url}/?token=the-first-token#/s/${sessionId}?view=outline`);
    await page.getByRole("heading", { name: "Still readable" }).waitFor();
    await first.stop();
    await openObservatory({ dataDir: first.dataDir, port: first.port, env: guarded("the-second-token") });
    await page.getByText("This page needs the token").waitFor();
    expect(await page.getByRole("heading", { name: "Still readable" }).isVisible()).toBe(true);
    await page.getByText("Private").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});
