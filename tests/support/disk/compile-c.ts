import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { tempDir } from "../temp-dir.ts";

/** Why C code cannot be compiled and preloaded into a server here, or `undefined`. */
export const noCompiler: string | undefined = lookForCompiler();

function lookForCompiler(): string | undefined {
  if (process.platform !== "linux")
    return "a library is slipped under the server by LD_PRELOAD, on Linux only";
  try {
    execFileSync("cc", ["--version"], { stdio: "pipe" });
    return undefined;
  } catch {
    return "there is no C compiler";
  }
}

/** Returns the path of the result, which is removed after the test. */
export function compileC(source: string, kind: "library" | "program"): string {
  const made = join(tempDir(), kind === "library" ? "made.so" : "made");
  const options = kind === "library" ? ["-shared", "-fPIC"] : [];
  execFileSync("cc", [...options, "-O1", "-o", made, source, "-ldl", "-lpthread"]);
  return made;
}
