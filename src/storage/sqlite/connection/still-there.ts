import { statSync } from "node:fs";

/**
 * Whether the path still leads to the file that was opened. Who deletes or replaces the database under a running server
 * leaves it with a file that nobody else can find: what is written there is lost when the server ends.
 */
export function watchFile(path: string): () => boolean {
  const opened = statSync(path, { bigint: true });
  return () => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found?.ino === opened.ino && found.dev === opened.dev;
  };
}
