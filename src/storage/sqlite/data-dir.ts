import { lstatSync, mkdirSync } from "node:fs";
import { ThoughtboxError } from "../../kernel/errors.ts";

/** Makes the data directory ours and private, or says why it cannot be. */
export function prepareDataDir(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) mkdirSync(path, { recursive: true, mode: 0o700 });
  const stat = found ?? lstatSync(path);
  if (stat.isSymbolicLink()) throw refuse("it is a symbolic link; name the real directory");
  if (!stat.isDirectory()) throw refuse("it is not a directory");
  const uid = process.getuid?.();
  if (uid !== undefined && stat.uid !== uid) throw refuse("it belongs to another user");
}

function refuse(reason: string): ThoughtboxError {
  return new ThoughtboxError("STORAGE_ERROR", `The data directory is refused: ${reason}.`, {
    recovery: { hint: "Point THOUGHTBOX_DATA_DIR to a directory of your own." },
  });
}
