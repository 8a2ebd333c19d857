import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { findFileFlaw, makeDirectorySync } from "./make-directory.ts";
import { readPlainly } from "./open-without-following.ts";
import { claimPlace, isOwnPlace } from "./own-places.ts";
import { writeWholeSync } from "./write-whole.ts";

/** What a person answered when asked whether the transcripts of their agents may be read. */
export type CaptureConsent = {
  capture: "on" | "off";
  /** When they answered. */
  at: string;
  /** A shared database gets nothing unless its host and the project are named here. */
  databases?: readonly { host: string; projects: readonly string[] }[];
  /** For a while, until the person says otherwise. */
  paused?: boolean;
  /** Directories whose sessions are never captured: what was forgotten must not come back. */
  excluded?: readonly string[];
};

const fileName = "capture.json";
const longest = 64 * 1024;

/**
 * `undefined` if nobody was asked, or the file is not one to trust: then nothing is read. A yes counts only in a directory
 * in which this person gave it, because a directory that others prepared can contain the file too.
 */
export function readConsent(dataDir: string, home: string = homedir()): CaptureConsent | undefined {
  const stored = readStored(dataDir);
  return stored?.capture === "on" && !isOwnPlace(dataDir, home) ? undefined : stored;
}

function readStored(dataDir: string): CaptureConsent | undefined {
  const path = join(dataDir, fileName);
  try {
    const stats = lstatSync(path);
    if (findFileFlaw(stats) !== undefined || (stats.mode & 0o022) !== 0) return undefined;
    const stored: unknown = JSON.parse(readPlainly(path, longest).toString("utf8"));
    return isConsent(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** What was excluded stays so, even if the answer beside it did not count. */
export function saveConsent(dataDir: string, consent: CaptureConsent, home: string = homedir()): void {
  const excluded = [
    ...new Set([...(readStored(dataDir)?.excluded ?? []), ...(consent.excluded ?? [])]),
  ].sort();
  const answer = { ...consent, ...(excluded.length > 0 && { excluded }) };
  makeDirectorySync(dataDir);
  if (consent.capture === "on") claimPlace(dataDir, home);
  writeWholeSync(dataDir, fileName, `${JSON.stringify(answer, null, 2)}\n`, {
    as: "replace",
    durable: true,
  });
}

/** THOUGHTBOX_CAPTURE decides if it is set. The default is no. */
export function mayCapture(dataDir: string, setting: string | undefined, home?: string): boolean {
  return (setting ?? readConsent(dataDir, home)?.capture) === "on";
}

function isConsent(stored: unknown): stored is CaptureConsent {
  if (typeof stored !== "object" || stored === null) return false;
  const { capture, at, excluded } = stored as Partial<CaptureConsent>;
  return (
    (capture === "on" || capture === "off") &&
    typeof at === "string" &&
    (excluded === undefined ||
      (Array.isArray(excluded) && excluded.every((name) => typeof name === "string")))
  );
}
