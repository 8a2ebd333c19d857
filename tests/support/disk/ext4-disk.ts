import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { compileC, noCompiler } from "./compile-c.ts";

/** Why an ext4 file system cannot be created and mounted here, or `undefined`. */
export const noExt4: string | undefined = noCompiler ?? tryMount();

function tryMount(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "thoughtbox-ext4-"));
  try {
    const { mount, unmount } = makeImage(folder);
    mount();
    unmount();
    return undefined;
  } catch (thrown) {
    return `no ext4 can be mounted here (${String((thrown as Error).message).split("\n")[0]})`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function makeImage(folder: string) {
  const [image, path] = [join(folder, "image"), join(folder, "disk")];
  mkdirSync(path);
  writeFileSync(image, "");
  truncateSync(image, 128 * 1024 * 1024);
  const run = (command: string, ...args: string[]) => void execFileSync(command, args, { stdio: "pipe" });
  run("mkfs.ext4", "-q", "-F", image);
  return {
    path,
    mount: () => run("mount", "-o", "loop", image, path),
    unmount: () => run("umount", path),
  };
}

/** Creates a real file system in a file, whose power can be cut. */
export function mountExt4() {
  const folder = mkdtempSync(join(tmpdir(), "thoughtbox-ext4-"));
  const { path, mount, unmount } = makeImage(folder);
  const shutDown = compileC(join(import.meta.dirname, "shut-down-disk.c"), "program");
  mount();
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", path], { stdio: "pipe" });
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    path,
    dataDir: join(path, "data"),
    /** Cuts the power: after this call, nothing reaches the disk. `restart` shows what the disk contains. */
    cutPower: () => void execFileSync(shutDown, [path]),
    restart(): void {
      unmount();
      mount();
    },
  };
}
