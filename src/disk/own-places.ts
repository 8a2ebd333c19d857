import { homedir } from "node:os";
import { join } from "node:path";
import { makeDirectorySync } from "./make-directory.ts";
import { readPlainly } from "./open-without-following.ts";
import { writeWholeSync } from "./write-whole.ts";

/**
 * This file lists the data directories, besides the default one, where this person answered the question
 * about capture or connected a client. The file is in the default directory. A repository or an archive can
 * contain a whole data directory, but it cannot change this file.
 */
const fileName = "places.json";
const longest = 1024 * 1024;

const defaultPlace = (home: string): string => join(home, ".thoughtbox");

/** True if this person created the answers and journals in a data directory. */
export const isOwnPlace = (dataDir: string, home: string = homedir()): boolean =>
  dataDir === defaultPlace(home) || readPlaces(home).includes(dataDir);

export function claimPlace(dataDir: string, home: string = homedir()): void {
  if (isOwnPlace(dataDir, home)) return;
  const directories = [...readPlaces(home), dataDir];
  makeDirectorySync(defaultPlace(home));
  writeWholeSync(defaultPlace(home), fileName, `${JSON.stringify({ directories }, null, 2)}\n`, {
    as: "replace",
    durable: true,
  });
}

/** Reads the list. If that fails, the list counts as empty, and the person is asked again. */
function readPlaces(home: string): string[] {
  try {
    const stored: unknown = JSON.parse(
      readPlainly(join(defaultPlace(home), fileName), longest).toString("utf8"),
    );
    const { directories } = stored as { directories?: unknown };
    return Array.isArray(directories) ? directories.filter((place) => typeof place === "string") : [];
  } catch {
    return [];
  }
}
