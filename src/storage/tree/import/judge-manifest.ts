import { join } from "node:path";
import { manifestName } from "../../../domain/ledger/tree/layout.ts";
import { isSameSession, type Manifest, parseOwnManifest } from "../../../domain/ledger/tree/manifest.ts";
import { runInTurns } from "../../../kernel/steps.ts";
import { readBytes, toText } from "../read-file.ts";

/** `pending`: it is behind, and has a right to be. */
export type ManifestState = "good" | "missing" | "damaged" | "outdated" | "pending";

/** Damage is damage at any time; whether a manifest may be behind depends on whether there is news. */
export async function compareManifest(
  folder: string,
  hasNews: boolean,
  describe: () => Promise<Manifest | undefined>,
  signal: AbortSignal | undefined,
): Promise<ManifestState> {
  const found = readBytes(join(folder, manifestName));
  if ("problem" in found) {
    if (!found.missing) return "damaged";
    return hasNews ? "pending" : "missing";
  }
  const text = toText(found.bytes);
  const manifest = text === undefined ? undefined : await runInTurns(parseOwnManifest(text), signal);
  if (!manifest) return "damaged";
  const expected = await describe();
  if (expected && (await runInTurns(isSameSession(manifest, expected), signal))) return "good";
  return hasNews ? "pending" : "outdated";
}
