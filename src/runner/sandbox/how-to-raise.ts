import { readFile } from "node:fs/promises";

const installers: readonly [RegExp, string][] = [
  [/\b(?:debian|ubuntu)\b/, "sudo apt install bubblewrap"],
  [/\b(?:fedora|rhel|centos)\b/, "sudo dnf install bubblewrap"],
  [/\balpine\b/, "apk add bubblewrap"],
  [/\barch\b/, "sudo pacman -S bubblewrap"],
  [/\bsuse\b/, "sudo zypper install bubblewrap"],
];

/** The one command that raises the level; `undefined` where none is known. */
export async function howToRaise(hasBubblewrap: boolean): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  if (!hasBubblewrap) {
    const release = await readFile("/etc/os-release", "utf8").catch(() => "");
    return howToInstall(release);
  }
  const restricted = await readFile("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "utf8").catch(
    () => "0",
  );
  return restricted.trim() === "1"
    ? "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    : undefined;
}

/** By what `/etc/os-release` says of the system. */
export function howToInstall(release: string): string | undefined {
  return installers.find(([pattern]) => pattern.test(release))?.[1];
}
