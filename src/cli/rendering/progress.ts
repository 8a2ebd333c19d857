import { figure } from "../../kernel/numbers.ts";
import type { Terminal } from "../host.ts";
import { cut } from "./width.ts";

const everyMs = 80;
const widestBar = 24;

export type ProgressBar = { update(done: number, total: number): void; end(): void };

type Screen = Pick<Terminal, "errorIsTerminal" | "draw" | "columns">;

/** Shows a notice during work whose progress is unknown. Returns a function that clears the line. */
export function showNotice({ errorIsTerminal, draw }: Screen, text: string): () => void {
  if (!errorIsTerminal) return () => {};
  draw(text);
  return () => draw("\r\x1b[2K");
}

/** Draws a progress bar on stderr and clears it at the end. Draws nothing if stderr is not a terminal. */
export function createProgressBar({ errorIsTerminal, draw, columns }: Screen, label: string): ProgressBar {
  if (!errorIsTerminal) return { update() {}, end() {} };
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    update(done, total) {
      const now = performance.now();
      if (now - drawnAt < everyMs) return;
      drawnAt = now;
      const share = total === 0 ? 1 : done / total;
      const figures = `${figure(done)} of ${figure(total)}`;
      const room = columns - label.length - figures.length - 5;
      const bar = renderBar(share, Math.max(4, Math.min(widestBar, room)));
      draw(`\r\x1b[2K${cut(`${label}  ${bar}  ${figures}`, columns - 1)}`);
    },
    end() {
      if (drawnAt > Number.NEGATIVE_INFINITY) draw("\r\x1b[2K");
    },
  };
}

/** Renders a share between 0 and 1 as a bar of blocks. */
export function renderBar(share: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return "█".repeat(filled) + "░".repeat(width - filled);
}
