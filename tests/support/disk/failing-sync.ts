import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../temp-dir.ts";
import { compileC } from "./compile-c.ts";

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

/** Creates a disk whose cache cannot be flushed while the test makes it fail. */
export function createFailingSync() {
  const folder = tempDir();
  const [code, flag] = [join(folder, "shim.c"), join(folder, "fail")];
  writeFileSync(code, source);
  const library = compileC(code, "library");
  return {
    env: { LD_PRELOAD: library, FAILING_SYNC_FLAG: flag },
    fail: () => writeFileSync(flag, ""),
    recover: () => rmSync(flag),
  };
}
