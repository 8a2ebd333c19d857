import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * Why no disk can be mounted here, or `undefined`. Tests that need such a disk are skipped with this
 * sentence.
 */
export const noSmallDisk: string | undefined = tryMount();

function tryMount(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "thoughtbox-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path], { stdio: "pipe" });
    execFileSync("umount", [path], { stdio: "pipe" });
    return undefined;
  } catch (thrown) {
    return `no tmpfs can be mounted here (${String((thrown as Error).message).split("\n")[0]})`;
  } finally {
    rmdirSync(path);
  }
}

/** Returns a separate disk that the test can fill up and make read-only. */
export function mountSmallDisk(sizeMiB: number) {
  const path = mkdtempSync(join(tmpdir(), "thoughtbox-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMiB}m,mode=0700`, "tmpfs", path]);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", path]);
    rmdirSync(path);
  });
  const ballast = join(path, "ballast");
  return {
    path,
    dataDir: join(path, "data"),
    /** Fills every free block. */
    fill(): void {
      const file = openSync(ballast, "a");
      try {
        for (;;) writeSync(file, Buffer.alloc(4096));
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== "ENOSPC") throw thrown;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast),
    makeReadOnly: () => void execFileSync("mount", ["-o", "remount,ro", path]),
    makeWritable: () => void execFileSync("mount", ["-o", "remount,rw", path]),
  };
}
