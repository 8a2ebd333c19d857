import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { cleanEnv } from "../support/server-process.ts";

const root = join(import.meta.dirname, "..", "..");
const script: string = "../../scripts/program-of.mjs";
const { programOf } = await import(script);

/**
 * Creates a user's project with Thoughtbox as they would install it: packed by npm and unpacked beside its
 * one dependency. The project cannot reach our sources. All tests in a file share it.
 */
export function createPackedProject() {
  const directory = mkdtempSync(join(tmpdir(), "thoughtbox-project-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const packed = execFileSync(
    "npm",
    ["pack", root, "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", directory],
    { encoding: "utf8", cwd: directory, shell: process.platform === "win32" },
  );
  const [tarball] = JSON.parse(packed) as {
    filename: string;
    size: number;
    files: { path: string; mode: number }[];
  }[];
  if (!tarball) throw new Error(`npm packed nothing: ${packed}`);
  const modules = join(directory, "node_modules");
  mkdirSync(join(modules, "thoughtbox"), { recursive: true });
  execFileSync("tar", [
    "-xzf",
    join(directory, tarball.filename),
    "--strip-components=1",
    "-C",
    join(modules, "thoughtbox"),
  ]);
  for (const name of ["@photostructure", "@types"])
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }\n');

  return {
    directory,
    tarball,
    /** Runs a program in the project. The program's home is empty by default. */
    run(program: string, { env = {}, file = "program.mjs" } = {}) {
      writeFileSync(join(directory, file), program);
      const home = mkdtempSync(join(directory, "home-"));
      const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
        cwd: directory,
        env: { ...cleanEnv(), HOME: home, ...env },
        encoding: "utf8",
        timeout: 30_000,
      });
      return { stdout, stderr, status, home };
    },
    /** Returns the compiler's errors for a TypeScript file, or an empty text. */
    compile(source: string, options: Record<string, unknown> = {}, file = "page.ts"): string {
      const inner = mkdtempSync(join(directory, "types-"));
      writeFileSync(join(inner, file), source);
      const compilerOptions = {
        target: "es2022",
        module: "nodenext",
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        skipLibCheck: false,
        types: ["node"],
        ...options,
      };
      writeFileSync(join(inner, "tsconfig.json"), JSON.stringify({ compilerOptions, include: [file] }));
      const [node, tsc] = programOf(root, "typescript", "tsc");
      return spawnSync(node, [tsc, "-p", inner, "--pretty", "false"], { encoding: "utf8" }).stdout;
    },
  };
}
