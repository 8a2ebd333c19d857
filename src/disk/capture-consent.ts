import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { findFileFlaw, makeDirectorySync } from "./make-directory.ts";
import { readPlainly } from "./open-without-following.ts";
import { claimPlace, isOwnPlace } from "./own-places.ts";
import { writeWholeSync } from "./write-whole.ts";

/** A person's decision on whether Thoughtbox may read the transcripts of their agents. */
export type CaptureConsent = {
  capture: "on" | "off";
  at: string;
  /** A project's sessions are stored in a shared database only if host and project are listed here. */
  databases?: readonly { host: string; projects: readonly string[] }[];
  /** Capture is paused until the person resumes it. */
  paused?: boolean;
  /** Directories whose sessions are never captured, so that a forgotten project does not reappear. */
  excluded?: readonly string[];
};

const fileName = "capture.json";
const longest = 64 * 1024;

/**
 * Returns `undefined` if the person has not been asked, or if the file cannot be trusted. Nothing is captured
 * then. Consent is valid only in a data directory where this person gave it. Someone else could have prepared
 * any other directory together with its file.
 */
export function readConsent(dataDir: string, home: string = homedir()): CaptureConsent | undefined {
  const stored = readStored(dataDir);
  return stored?.capture === "on" && !isOwnPlace(dataDir, home) ? undefined : stored;
}

function readStored(dataDir: string): CaptureConsent | undefined {
  const path = join(dataDir, fileName);
  try {
    const stats = lstatSync(path);
    // On systems without POSIX modes, every file looks writable by everyone.
    const othersMayWrite = process.getuid !== undefined && (stats.mode & 0o022) !== 0;
    if (findFileFlaw(stats) !== undefined || othersMayWrite) return undefined;
    const stored: unknown = JSON.parse(readPlainly(path, longest).toString("utf8"));
    return isConsent(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the stored exclusions, even if the answer stored with them is not valid. */
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

/** True if capture is on. THOUGHTBOX_CAPTURE overrides the stored answer. Without either, capture is off. */
export function mayCapture(dataDir: string, setting: string | undefined, home?: string): boolean {
  return (setting ?? readConsent(dataDir, home)?.capture) === "on";
}

/** True if the person agreed to store a project's sessions in a database that others may read too. */
export const isAgreed = (consent: CaptureConsent | undefined, { host, project }: SharedPlace): boolean =>
  consent?.capture === "on" &&
  (consent.databases ?? []).some((known) => known.host === host && known.projects.includes(project));

/** A project in a shared database. */
export type SharedPlace = { host: string; project: string };

/** Applies a person's answer. If the store is a shared database, the answer is about one project in it. */
export function withAnswer(
  before: CaptureConsent | undefined,
  { capture, at }: Pick<CaptureConsent, "capture" | "at">,
  place: SharedPlace | undefined,
): CaptureConsent {
  if (!place) return { ...before, capture, at };
  const others = (before?.databases ?? []).filter(({ host }) => host !== place.host);
  const agreed = (before?.databases ?? []).find(({ host }) => host === place.host)?.projects ?? [];
  const rest = agreed.filter((project) => project !== place.project);
  const projects = capture === "on" ? [...rest, place.project].sort() : rest;
  // A refusal applies only to this project. The person's other projects stay unchanged.
  const stays = capture === "off" && before?.capture === "on";
  return {
    ...before,
    capture: stays ? "on" : capture,
    at,
    databases: [...others, { host: place.host, projects }],
  };
}

/** Returns the host of a database, for messages. */
export function databaseHost(url: string): string {
  try {
    const { hostname, searchParams } = new URL(url);
    return hostname || searchParams.get("host") || "localhost";
  } catch {
    return "an unreadable address";
  }
}

function isConsent(stored: unknown): stored is CaptureConsent {
  if (typeof stored !== "object" || stored === null) return false;
  const { capture, at, excluded, databases = [] } = stored as Partial<CaptureConsent>;
  return (
    Array.isArray(databases) &&
    databases.every(({ host, projects }) => typeof host === "string" && Array.isArray(projects)) &&
    (capture === "on" || capture === "off") &&
    typeof at === "string" &&
    (excluded === undefined ||
      (Array.isArray(excluded) && excluded.every((name) => typeof name === "string")))
  );
}
