import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { expect, test } from "vitest";
import { noFileTrace, traceOpens } from "../../support/disk/opened-files.ts";
import { binary, spawnServer } from "../../support/server-process.ts";
import { tempDir } from "../../support/temp-dir.ts";
import {
  claudeLine,
  claudePath,
  claudeRoot,
  clientHomes,
  codexPath,
  codexRoot,
  writeLines,
  writeTranscripts,
} from "../../support/transcripts.ts";

if (noFileTrace) process.stderr.write(`skipped: ${noFileTrace}\n`);

test.skipIf(noFileTrace)(
  "no request opens a file outside the allowed roots",
  async () => {
    const dataDir = join(realpathSync(tempDir()), "data");
    const home = dirname(dataDir);
    const root = claudeRoot({ dataDir });
    const outside = join(home, "outside");
    writeTranscripts({ dataDir });
    mkdirSync(outside);
    writeLines(join(outside, "canary.jsonl"), [claudeLine("user", "c", null, "the canary")]);
    symlinkSync(join(outside, "canary.jsonl"), join(root, "link.jsonl"));
    symlinkSync(outside, join(root, "linked-folder"));
    symlinkSync(outside, `${root}/agent-links`);
    linkSync(join(outside, "canary.jsonl"), join(root, "second-name.jsonl"));
    execFileSync("mkfifo", [join(root, "pipe.jsonl"), join(codexRoot({ dataDir }), "pipe.jsonl")]);

    const { wrap, opened } = traceOpens();
    const env = clientHomes(dataDir);
    const server = spawnServer(dataDir, env, wrap);
    await server.initialize();
    const call = (name: string, args: object) => server.request("tools/call", { name, arguments: args });
    const roots = [
      undefined,
      root,
      codexRoot({ dataDir }),
      outside,
      `${root}/../../outside`,
      `${root}/linked-folder`,
    ];
    const paths = [
      ...[
        codexPath,
        claudePath,
        "link.jsonl",
        "second-name.jsonl",
        "pipe.jsonl",
        "linked-folder/canary.jsonl",
      ],
      ...[
        "../outside/canary.jsonl",
        "-home-ada-shop/../../../outside/canary.jsonl",
        join(outside, "canary.jsonl"),
      ],
      ...["/etc/passwd", "/proc/self/environ", "x\0.jsonl", "linked-folder", "."],
    ];
    const answers: string[] = [];
    for (const root_dir of roots) {
      const where = root_dir === undefined ? {} : { root_dir };
      for (const [name, args] of [
        ["transcripts_search", { query: "canary", cwd_prefix: "/", ...where }],
        ["transcripts_digest", { cwd_prefix: "/", mode: "last", ...where }],
        ...paths.flatMap(
          (path) =>
            [
              ["transcripts_open", { ref: { path, line: 1 }, ...where }],
              ["transcripts_import", { ref: { path }, ...where }],
            ] as const,
        ),
      ] as const)
        answers.push(JSON.stringify(await call(name, args)));
    }
    server.child.stdin.end();
    await server.exited;

    expect(answers.filter((answer) => answer.includes("the canary"))).toEqual([]);
    expect(answers.filter((answer) => answer.includes('"outcome":"imported"'))).toHaveLength(2);
    const files = opened();
    expect(files).toContain(join(root, claudePath));
    expect(files).toContain(join(codexRoot({ dataDir }), codexPath));
    const product = dirname(dirname(binary));
    const allowed = [root, codexRoot({ dataDir }), dataDir, product, "/proc", "/sys", "/dev"];
    const isAllowed = (file: string) =>
      allowed.some((place) => file === place || file.startsWith(`${place}${sep}`));
    // Files that the runtime and system libraries read before the first call.
    const own = /^\/(?:usr|lib|lib64|opt|etc\/(?:ssl|ld\.so\.cache|nsswitch|passwd|host|resolv|localtime))/;
    const strays = files.filter(
      (file) => !isAllowed(file) && !own.test(file) && !process.execPath.startsWith(file),
    );
    expect([...new Set(strays)]).toEqual([]);
  },
  60_000,
);
