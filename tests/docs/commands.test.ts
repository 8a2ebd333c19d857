import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnv } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { claudeRoot, writeTranscripts } from "../support/transcripts.ts";
import { fencedBlocks } from "./markdown.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const pagesIn = (directory: string) =>
  readdirSync(join(root, directory)).flatMap((name) => (name.endsWith(".md") ? [join(directory, name)] : []));
const folders = [".", "docs", "docs/guide", "bench", "editors/vscode", "plugin"];
const pages = folders.flatMap(pagesIn);

/** Every shell line that readme.test.ts does not run as part of a transcript. */
const lines = pages.flatMap((page) => {
  const blocks = [
    ...fencedBlocks(read(page), "sh").map(({ line, text }) => ({ line, commands: text.split("\n") })),
    ...fencedBlocks(read(page), "console")
      .filter(({ marked }) => !marked)
      .map(({ line, text }) => ({
        line,
        commands: [...text.matchAll(/^\$ (.*)$/gm)].map(([, typed = ""]) => typed),
      })),
  ];
  return blocks.flatMap(({ line, commands }) =>
    commands
      .map((typed) => typed.replace(/\s+#.*$/, "").trim())
      .filter((typed) => typed !== "")
      .map((typed) => ({ place: `${page}:${line}`, typed })),
  );
});

/** Lines that cannot run here, and what runs instead. */
const exceptions: readonly [line: RegExp, because: string][] = [
  [/^thoughtbox serve$/, "runs until Ctrl-C: tests/http"],
  [
    /postgres|DATABASE_URL|POSTGRES_PASSWORD/,
    "needs a database: tests/postgres, tests/cli/engines/move.test.ts",
  ],
  [/topic=list_branches$/, "the reader writes this operation"],
  [/^docker compose/, "needs Docker"],
  [/^(?:claude|codex) mcp/, "needs the client: npm run test:clients"],
  [/^cd ~\/\.thoughtbox && .* cp /, "needs an older database: tests/sqlite"],
  [/^npm install \.\.\//, "npm run pack:check installs the package"],
  [/^npm install -g \.$/, "tests/scripts/pack.test.ts"],
  [/^npm install --omit=dev$|^npx @vscode|^code /, "needs the editor"],
  [/^claude plugin /, "needs the client"],
  [/^node bench\/recall\/from-git\.mjs/, "needs another repository: tests/bench/recall.test.ts"],
];
const because = (typed: string) => exceptions.find(([line]) => line.test(typed))?.[1];

/** npm and npx lines are checked by name, because this test is part of what they run. */
const script = /^npm (?:run )?([\w:-]+)/;
const { scripts } = JSON.parse(read("package.json"));
const named = lines.filter(({ typed }) => !because(typed) && /^np[mx] /.test(typed));
const run = lines.filter(({ typed }) => !because(typed) && !/^np[mx] /.test(typed));

test("the documentation contains commands of each kind, and every exception is used", () => {
  expect(run.length).toBeGreaterThan(25);
  expect(named.length).toBeGreaterThan(10);
  expect(exceptions.filter(([line]) => !lines.some(({ typed }) => line.test(typed)))).toEqual([]);
});

test.each(named)("$place: $typed names existing scripts and files", ({ typed }) => {
  const [, name] = script.exec(typed) ?? [];
  if (name !== undefined) expect(Object.keys(scripts)).toContain(name);
  const paths = typed.startsWith("npx vitest run ") ? typed.split(" ").slice(3) : [];
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every other command line in the documentation succeeds", { timeout: 240_000 }, () => {
  const home = tempDir();
  const work = join(home, "shop");
  const env = { ...cleanEnv(), HOME: home, CLAUDE_CONFIG_DIR: join(home, "claude") };
  writeTranscripts({ dataDir: join(home, ".thoughtbox") });
  expect(existsSync(claudeRoot({ dataDir: join(home, ".thoughtbox") }))).toBe(true);
  mkdirSync(join(work, "src"), { recursive: true });
  writeFileSync(join(work, "src", "pool.ts"), "export const size = 20;\n".repeat(60));
  const binary = join(root, "dist", "thoughtbox.js");
  const shell = (line: string) =>
    spawnSync("sh", ["-c", `thoughtbox() { "${process.execPath}" "${binary}" "$@"; }\n${line}`], {
      cwd: work,
      env,
      encoding: "utf8",
      input: "",
    });
  const git = "git -c user.name=Ada -c user.email=ada@example.com";
  shell(`git init -q && git add . && ${git} commit -qm pool`);
  const first = shell("thoughtbox call thought thought='S1|O|Checkout needs 4 s'");
  const { sessionId } = JSON.parse(first.stdout);
  const failed = run.flatMap(({ place, typed }) => {
    const line = typed
      .replace("sessionId=…", `sessionId=${sessionId}`)
      .replace(/\bnode dist\/thoughtbox\.js\b/, "thoughtbox");
    const { status, stderr } = shell(line);
    return status === 0 ? [] : [`${place}: ${typed}\n${stderr}`];
  });
  expect(failed).toEqual([]);
});
