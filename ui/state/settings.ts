import { effect, signal } from "@preact/signals";
import type { Environment } from "./environment.ts";

export type Theme = "system" | "dark" | "light";
export type Speed = "1" | "4" | "16" | "real";

type Kept = {
  theme: Theme;
  speed: Speed;
  columns: 5 | 10;
  plain: boolean;
  notify: boolean;
  used: Record<string, number>;
};

const KEY = "thoughtbox.observatory";
const themes: readonly unknown[] = ["system", "dark", "light"];
const speeds: readonly unknown[] = ["1", "4", "16", "real"];

/** Reads and stores the user's preferences in this browser. */
export function createSettings({ storage }: Pick<Environment, "storage">) {
  const kept = read(storage);
  const theme = signal<Theme>(kept.theme);
  const speed = signal<Speed>(kept.speed);
  const columns = signal<5 | 10>(kept.columns);
  /** Whether thoughts are shown as written, without formatting. */
  const plain = signal(kept.plain);
  const notify = signal(kept.notify);
  /** How many times each palette command was used. */
  const used = signal<Record<string, number>>(kept.used);
  effect(() => {
    const now: Kept = {
      theme: theme.value,
      speed: speed.value,
      columns: columns.value,
      plain: plain.value,
      notify: notify.value,
      used: used.value,
    };
    try {
      storage.setItem(KEY, JSON.stringify(now));
    } catch {
      // If the storage is full or forbidden, the next visit starts with the defaults.
    }
  });
  return { theme, speed, columns, plain, notify, used };
}

function read(storage: Environment["storage"]): Kept {
  const fresh: Kept = { theme: "system", speed: "4", columns: 10, plain: false, notify: false, used: {} };
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "{}") as Partial<Kept>;
    return {
      theme: themes.includes(kept.theme) ? (kept.theme as Theme) : fresh.theme,
      speed: speeds.includes(kept.speed) ? (kept.speed as Speed) : fresh.speed,
      columns: kept.columns === 5 ? 5 : 10,
      plain: kept.plain === true,
      notify: kept.notify === true,
      used: Object.fromEntries(Object.entries(kept.used ?? {}).filter((entry) => Number.isInteger(entry[1]))),
    };
  } catch {
    return fresh;
  }
}
