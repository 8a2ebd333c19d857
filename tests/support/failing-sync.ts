import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

/** Why no shim can be loaded into the server here, or `undefined`. */
export const noFailingSync: string | undefined = lookForCompiler();

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

const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int fails(void) {
  const char *flag = getenv("FAILING_SYNC_FLAG");
  return flag && access(flag, F_OK) == 0;
}
int fsync(int fd) {
  if (fails()) { errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}
int fdatasync(int fd) {
  if (fails()) { errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
`;

/** A disk whose cache cannot be flushed, for as long as somebody says so. */
export function createFailingSync() {
  const folder = tempDir();
  const [code, library, flag] = ["shim.c", "shim.so", "fail"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(code, source);
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, code, "-ldl"]);
  return {
    env: { LD_PRELOAD: library, FAILING_SYNC_FLAG: flag },
    fail: () => writeFileSync(flag, ""),
    recover: () => rmSync(flag),
  };
}
