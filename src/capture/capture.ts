import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { CaptureConsent } from "../disk/capture-consent.ts";
import type { Capture, CaptureState, ForgetReport } from "../ports/capture.ts";
import { findExclusion } from "./exclusions.ts";
import { createTranscriptFollower } from "./follow-transcripts.ts";

type Follower = Parameters<typeof createTranscriptFollower>[0];

type Parts = Omit<Follower, "reasonFor" | "isAllowed"> & {
  /** If set, overrides the person's answer. */
  setting: "on" | "off" | undefined;
  isOn(): boolean;
  /**
   * Reads the person's answer from disk. The answer is cached for only `freshMs`, because another process may
   * change it.
   */
  readConsent(): CaptureConsent | undefined;
  saveConsent(consent: CaptureConsent): void;
  excluded: readonly string[];
  isAgreed(consent: CaptureConsent | undefined, place: { host: string; project: string }): boolean;
  /** Set if other people may read the store too. The person must then consent for each project. */
  shared: { host: string; projectOf(cwd: string): string } | undefined;
  erase(project: string): Promise<ForgetReport>;
};

/** How long an answer that was read from disk is cached. */
const freshMs = 500;

export function createCapture(parts: Parts): Capture {
  const { setting, saveConsent, excluded, clock } = parts;
  let read: { at: number; isOn: boolean; consent: CaptureConsent | undefined } | undefined;

  function answers() {
    const at = clock().getTime();
    if (!read || at - read.at > freshMs || at < read.at)
      read = { at, isOn: parts.isOn(), consent: parts.readConsent() };
    return read;
  }

  function state(): CaptureState {
    const { isOn, consent } = answers();
    if (isOn) return consent?.paused ? "paused" : "on";
    return setting === undefined && !consent ? "unasked" : "off";
  }

  function change(edit: Partial<CaptureConsent>): void {
    const at = clock().toISOString();
    // A setting is not consent. After the setting is removed, capture must be off.
    const before = parts.readConsent() ?? { capture: "off", at };
    saveConsent({ ...before, ...edit });
    read = undefined;
  }

  const reasonFor = (cwd: string) =>
    findExclusion(cwd, [...excluded, ...(answers().consent?.excluded ?? [])]) ?? findDisagreement(cwd);

  function findDisagreement(cwd: string): string | undefined {
    const { shared } = parts;
    if (!shared) return undefined;
    const project = shared.projectOf(cwd);
    if (parts.isAgreed(answers().consent, { host: shared.host, project })) return undefined;
    return `you have not agreed to store sessions for project ${project} in the database on ${shared.host}. Run thoughtbox connect --capture=yes in that project`;
  }

  const follower = createTranscriptFollower({ ...parts, reasonFor, isAllowed: () => state() === "on" });

  return {
    state,
    allows: (cwd) => state() === "on" && (cwd === undefined || reasonFor(cwd) === undefined),
    follow: follower.follow,
    catchUp: ({ signal, onProgress } = {}) => {
      signal?.throwIfAborted();
      return follower.catchUp(onProgress);
    },
    list: (limit) => parts.book.list(limit),
    // Until the person answers, nothing is captured. A stored pause would count as an answer, so they would
    // never be asked.
    pause() {
      if (state() !== "unasked") change({ paused: true });
    },
    resume() {
      if (parts.readConsent()?.paused) change({ paused: false });
    },
    async forget(project) {
      const done = await parts.erase(project);
      const before = parts.readConsent()?.excluded ?? [];
      const added = done.excluded.filter((place) => !before.includes(place));
      // If nothing changes, nothing is stored, because a person with a stored answer is not asked again.
      if (added.length > 0) change({ excluded: [...before, ...added] });
      return done;
    },
    close: follower.close,
  };
}

/**
 * Runs `thoughtbox capture --once` in a separate process with low priority, because reading and hashing gigabytes
 * would delay calls.
 */
export function createCatchUp(program: readonly string[], env: NodeJS.ProcessEnv) {
  return (signal: AbortSignal): Promise<void> =>
    new Promise((done) => {
      const [command = process.execPath, ...words] = program;
      const child = spawn(command, [...words, "capture", "--once"], {
        stdio: "ignore",
        windowsHide: true,
        env,
      });
      const stop = () => child.kill("SIGTERM");
      const end = () => {
        signal.removeEventListener("abort", stop);
        done();
      };
      signal.addEventListener("abort", stop, { once: true });
      child.once("error", end);
      child.once("exit", end);
      if (child.pid !== undefined) lower(child.pid);
    });
}

function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has already ended, or the system does not support priorities.
  }
}
