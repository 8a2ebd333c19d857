import type { Surface } from "./polylines.ts";
import { type StripLook, stripTop, stripX } from "./strip-look.ts";

const MINUTE = 60_000;
const STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE);
const DAY = 1440 * MINUTE;
const BREAK = { width: 6, height: 16 };

const two = (value: number): string => String(value).padStart(2, "0");

function clock(time: number, every: number): string {
  const date = new Date(time);
  if (every >= DAY) return `${date.getDate()}.${date.getMonth() + 1}.`;
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Draws times below the strip, and a mark where a long gap was shortened. */
export function drawAxis(surface: Surface, look: StripLook): void {
  const { columns, scale, theme, width, height } = look;
  const first = columns.time[0] as number;
  const last = columns.time[columns.size - 1] as number;
  const wanted = (last - first) / Math.max(1, (width - 16) / 96);
  const days = Math.ceil(wanted / DAY) * DAY;
  const every = STEPS.find((step) => step >= wanted) ?? days;
  // Ticks are at whole hours of local time, even in time zones that are not offset by whole hours.
  const offset = new Date(first).getTimezoneOffset() * MINUTE;
  surface.font = `500 10px ${theme.mono}`;
  surface.fillStyle = theme.text3;
  surface.textAlign = "center";
  surface.textBaseline = "alphabetic";
  let i = 0;
  let written = -99;
  for (let time = Math.ceil((first - offset) / every) * every + offset; time <= last; time += every) {
    while (i < columns.size - 1 && (columns.time[i] as number) < time) i++;
    const x = stripX(look, i);
    if (x - written < 56 || x < 20 || x > width - 20) continue;
    surface.fillText(clock(time, every), x, height - 6);
    written = x;
  }
  for (const cut of scale.cuts) {
    const x = (stripX(look, cut) + stripX(look, cut - 1)) / 2;
    const top = stripTop(look);
    surface.fillStyle = theme.panel;
    surface.fillRect(x - BREAK.width / 2, top - 1, BREAK.width, BREAK.height);
    surface.strokeStyle = theme.control;
    surface.lineWidth = 1;
    surface.beginPath();
    for (const shift of [-2.5, 0.5]) {
      surface.moveTo(x + shift, top + BREAK.height - 4);
      surface.lineTo(x + shift + 2, top + 2);
    }
    surface.stroke();
  }
}
