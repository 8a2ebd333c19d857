import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectorySync } from "../../../disk/make-directory.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { statOf } from "../read-file.ts";

export type Quarantine = ReturnType<typeof createQuarantine>;

/** Files that are in the way or wrong are moved here under the path they had, one folder for each repair. */
export function createQuarantine(root: string, clock: Clock) {
  const stamp = clock().toISOString().replace(/[:.]/g, "-");
  const moved: { path: string; movedTo: string }[] = [];

  return {
    moved,
    /** `path` counts from the data directory. Nothing happens when it is not there any more. */
    take(path: string): void {
      if (!statOf(join(root, path))) return;
      const movedTo = freeName(join("quarantine", stamp, path));
      makeDirectorySync(join(root, dirname(movedTo)));
      renameSync(join(root, path), join(root, movedTo));
      moved.push({ path, movedTo });
    },
    /** Takes the first step of a folder's path that is no folder, if there is one. */
    clearWay(folder: readonly string[]): void {
      for (let depth = 1; depth <= folder.length; depth += 1) {
        const path = join(...folder.slice(0, depth));
        const stat = statOf(join(root, path));
        if (stat?.isDirectory()) continue;
        if (stat) this.take(path);
        return;
      }
    },
  };

  function freeName(path: string): string {
    let free = path;
    for (let n = 2; statOf(join(root, free)); n += 1) free = `${path}-${n}`;
    return free;
  }
}
