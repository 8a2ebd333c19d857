import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Flags } from "./command.ts";
import type { Terminal } from "./host.ts";
import { createPaint, type Place, type RenderContext, toScreen } from "./rendering/render-context.ts";
import { foldHint, foldLines } from "./rendering/width.ts";

const narrowest = 36;

export const widthOf = ({ columns }: Terminal): number => Math.max(narrowest, columns);

/** Returns how this terminal renders a command's output. */
export function renderContext(terminal: Terminal, flags: Flags): RenderContext {
  const when = flags.text("color") ?? "auto";
  const isColoured = when === "always" || (when === "auto" && terminal.wantsColour);
  return {
    width: widthOf(terminal),
    paint: createPaint(isColoured ? terminal.colourMark : undefined),
    now: terminal.now(),
    quiet: flags.has("quiet"),
    place: typedPlace(flags),
  };
}

export function typedPlace(flags: Flags): Place {
  const given = (["data-dir", "project", "workspace"] as const).map((option) => [option, flags.text(option)]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Writes lines for a person to stderr, at most as wide as the terminal. Text to copy is never broken across lines. */
export function sayLines(terminal: Terminal, lines: readonly string[], isToCopy = /(?!)/): void {
  const folded = terminal.errorIsTerminal
    ? lines.flatMap((line) =>
        isToCopy.test(line) ? foldHint(line, widthOf(terminal)) : foldLines([line], widthOf(terminal)),
      )
    : lines;
  terminal.error(`${folded.join("\n")}\n`);
}

/** Asks a person, in lines at most as wide as the terminal. */
export const confirm = (terminal: Terminal, question: string): Promise<boolean | undefined> =>
  terminal.confirm(foldLines(question.split("\n"), widthOf(terminal)).join("\n"));

type Pager = { command: string; args: readonly string[]; env: NodeJS.ProcessEnv };

/** Lines per write. If the pager's buffer is full, the next write waits until the reader scrolls. */
const blockLines = 1_000;

/**
 * Shows lines in the person's pager if they do not fit on the screen. Returns false if nothing was shown,
 * because the lines fit, the person wants no pager, or no pager starts.
 */
export async function showInPager(
  lines: readonly string[],
  colourMark: string,
  program: Pager | undefined,
): Promise<boolean> {
  const { columns = 80, rows = 0 } = process.stdout;
  if (!program || rows === 0 || countRows(lines, columns, rows, colourMark) < rows) return false;
  const { command, args, env } = program;
  const pager = spawn(command, args, { stdio: ["pipe", "inherit", "inherit"], env });
  const started = await once(pager, "spawn").then(
    () => true,
    () => false,
  );
  if (!started) return false;
  const ended = once(pager, "close");
  // Readers may quit before the end.
  pager.stdin.on("error", () => pager.stdin.destroy());
  for (let from = 0; from < lines.length && !pager.stdin.destroyed; from += blockLines) {
    const block = `${lines.slice(from, from + blockLines).join("\n")}\n`;
    if (!pager.stdin.write(toScreen(block, colourMark)))
      await Promise.race([once(pager.stdin, "drain"), ended]).catch(() => undefined);
  }
  pager.stdin.end();
  await ended;
  return true;
}

/** Counts the rows that the lines fill, up to `enough`. A line wider than the screen fills several rows. */
function countRows(lines: readonly string[], columns: number, enough: number, colourMark: string): number {
  const colour = new RegExp(`\\x1b${colourMark}\\[\\d+m`, "g");
  let rows = 0;
  for (const line of lines) {
    for (const part of line.replace(colour, "").split("\n"))
      rows += Math.max(1, Math.ceil(part.length / columns));
    if (rows >= enough) break;
  }
  return rows;
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Returns false if no program on this machine opens URLs. */
export async function openInBrowser(address: string): Promise<boolean> {
  const [command = "", ...args] = openers[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  // Both the opener and the timer keep this process alive until the outcome is known.
  const patience = new AbortController();
  const [outcome] = await Promise.race([
    once(opener, "close"),
    // If the browser was not running, its opener stays in the foreground.
    sleep(1_500, [0], { signal: patience.signal }),
  ]).catch(() => [1]);
  patience.abort();
  opener.unref();
  return outcome === 0;
}
