import type { Route } from "./route.ts";

/** A key, its command, and its entry in the key sheet. Palette labels are in `commands.ts`. */
export type KeyBinding = {
  /** As in `KeyboardEvent.key`. `mod` is ⌘ or Ctrl. */
  keys: readonly string[];
  command: string;
  words: string;
  group: "Move" | "Look" | "Time" | "Go";
  /** If set, the binding applies only in this view, where it takes precedence over a general one. */
  on?: Route["view"];
};

export const keyBindings: readonly KeyBinding[] = [
  { keys: ["l", "ArrowRight"], command: "next", words: "next on this line", group: "Move" },
  { keys: ["h", "ArrowLeft"], command: "previous", words: "previous on this line", group: "Move" },
  { keys: ["j", "ArrowDown"], command: "below", words: "card or row below", group: "Move" },
  { keys: ["k", "ArrowUp"], command: "above", words: "card or row above", group: "Move" },
  {
    keys: ["b"],
    command: "into-branch",
    words: "enter a branch; press again for the next",
    group: "Move",
  },
  { keys: ["u"], command: "to-fork", words: "up to the fork", group: "Move" },
  { keys: ["r"], command: "revision", words: "to the revision or the original", group: "Move" },
  { keys: ["["], command: "previous-conclusion", words: "previous conclusion", group: "Move" },
  { keys: ["]"], command: "next-conclusion", words: "next conclusion", group: "Move" },
  { keys: ["Home"], command: "first", words: "first thought", group: "Move" },
  { keys: ["End"], command: "last", words: "last thought", group: "Move" },
  { keys: ["PageUp"], command: "page-up", words: "page up", group: "Move" },
  { keys: ["PageDown"], command: "page-down", words: "page down", group: "Move" },
  { keys: ["Enter"], command: "open-detail", words: "open detail", group: "Look" },
  {
    keys: ["Escape"],
    command: "back-out",
    words: "close the panel, then deselect, then leave",
    group: "Look",
  },
  { keys: ["/"], command: "search", words: "search", group: "Look" },
  { keys: ["n"], command: "next-hit", words: "next hit", group: "Look" },
  { keys: ["N"], command: "previous-hit", words: "previous hit", group: "Look" },
  { keys: ["t"], command: "only-type", words: "show one type (then its letter)", group: "Look" },
  { keys: ["p"], command: "plain-text", words: "thoughts as written ↔ formatted", group: "Look" },
  { keys: ["x"], command: "fold", words: "fold branch", group: "Look" },
  { keys: ["X"], command: "fold-dead-ends", words: "fold all dead ends", group: "Look" },
  { keys: ["a"], command: "fold-actions", words: "show or hide the actions here", group: "Look" },
  { keys: ["A"], command: "fold-all-actions", words: "show or hide all actions", group: "Look" },
  { keys: ["*"], command: "star", words: "star or unstar this thought", group: "Look" },
  { keys: ["C"], command: "comment", words: "comment on this thought", group: "Look" },
  { keys: ["0"], command: "fit", words: "fit", group: "Look" },
  { keys: ["1"], command: "full-size", words: "100%", group: "Look" },
  { keys: ["+", "="], command: "zoom-in", words: "zoom in", group: "Look" },
  { keys: ["-"], command: "zoom-out", words: "zoom out", group: "Look" },
  { keys: [" "], command: "play", words: "play, pause", group: "Time" },
  { keys: [","], command: "step-back", words: "one thought back", group: "Time" },
  { keys: ["."], command: "step-forth", words: "one thought forward", group: "Time" },
  { keys: ["f"], command: "follow", words: "follow", group: "Time" },
  { keys: ["mod+k"], command: "palette", words: "palette", group: "Go" },
  { keys: ["s"], command: "mark-seen", words: "mark as seen", group: "Look", on: "home" },
  { keys: ["f"], command: "filter", words: "filter", group: "Look", on: "sessions" },
  { keys: ["Enter"], command: "open-hit", words: "open the first hit", group: "Look", on: "sessions" },
  {
    keys: ["mod+Enter"],
    command: "open-hit-in-tab",
    words: "open the first hit in a new tab",
    group: "Look",
    on: "sessions",
  },
  {
    keys: ["Backspace"],
    command: "drop-filter",
    words: "remove the last filter",
    group: "Look",
    on: "sessions",
  },
  {
    keys: ["l", "ArrowRight"],
    command: "column-right",
    words: "column to the right",
    group: "Move",
    on: "memory",
  },
  {
    keys: ["h", "ArrowLeft"],
    command: "column-left",
    words: "column to the left",
    group: "Move",
    on: "memory",
  },
  { keys: ["Enter"], command: "open-task", words: "open task", group: "Look", on: "memory" },
  { keys: ["x"], command: "next-conflict", words: "next conflict", group: "Look", on: "memory" },
  { keys: ["v"], command: "memory-view", words: "board, cards, notes", group: "Look", on: "memory" },
  { keys: ["j"], command: "next-item", words: "next block or hunk", group: "Move", on: "files" },
  { keys: ["k"], command: "previous-item", words: "previous block or hunk", group: "Move", on: "files" },
  { keys: ["ArrowDown"], command: "next-line", words: "next line", group: "Move", on: "files" },
  { keys: ["ArrowUp"], command: "previous-line", words: "previous line", group: "Move", on: "files" },
  { keys: ["Enter"], command: "open-item", words: "to the thought", group: "Go", on: "files" },
  { keys: ["j", "ArrowDown"], command: "next-item", words: "next cell", group: "Move", on: "notebooks" },
  {
    keys: ["k", "ArrowUp"],
    command: "previous-item",
    words: "previous cell",
    group: "Move",
    on: "notebooks",
  },
  { keys: ["["], command: "older-version", words: "older version", group: "Move", on: "notebooks" },
  { keys: ["]"], command: "newer-version", words: "newer version", group: "Move", on: "notebooks" },
  { keys: ["Enter"], command: "open-item", words: "to the thought", group: "Go", on: "notebooks" },
  { keys: ["v"], command: "sort", words: "change the sort order", group: "Look", on: "sessions" },
  { keys: ["1"], command: "agent-1", words: "first agent", group: "Go", on: "home" },
  { keys: ["2"], command: "agent-2", words: "second agent", group: "Go", on: "home" },
  { keys: ["3"], command: "agent-3", words: "third agent", group: "Go", on: "home" },
  {
    keys: ["g"],
    command: "go",
    words: "then h, s, m, n or f: home, sessions, memory, notebooks, files",
    group: "Go",
  },
  { keys: ["m"], command: "memory", words: "memory", group: "Go" },
  { keys: ["o"], command: "other-view", words: "graph ↔ outline", group: "Go" },
  { keys: ["c"], command: "compare", words: "compare this branch with …", group: "Go" },
  { keys: ["y"], command: "copy-link", words: "copy link", group: "Go" },
  { keys: ["e"], command: "share", words: "share", group: "Go" },
  { keys: ["?"], command: "keys", words: "keys", group: "Go" },
];

const shown: Readonly<Record<string, string>> = {
  ArrowRight: "→",
  ArrowLeft: "←",
  ArrowDown: "↓",
  ArrowUp: "↑",
  Escape: "Esc",
  Backspace: "⌫",
  PageUp: "PgUp",
  PageDown: "PgDn",
  " ": "Space",
  "-": "−",
};

const nameOfKey = (key: string): string => (key.length === 1 ? key.toUpperCase() : key);

export const showKey = (key: string, isMac: boolean): string =>
  key.startsWith("mod+")
    ? isMac
      ? `⌘${nameOfKey(key.slice(4))}`
      : `Ctrl ${nameOfKey(key.slice(4))}`
    : (shown[key] ?? key);

const bindingOf = (pressed: string, view: Route["view"]): KeyBinding | undefined => {
  const bound = keyBindings.filter(({ keys }) => keys.includes(pressed));
  return bound.find(({ on }) => on === view) ?? bound.find(({ on }) => on === undefined);
};

/** The command for each letter after `g`. */
export const goCommands: Readonly<Record<string, string>> = {
  h: "home",
  s: "sessions",
  m: "memory",
  n: "notebooks",
  f: "files",
};

export const keysOf = (command: string): readonly string[] =>
  keyBindings.find((binding) => binding.command === command)?.keys ?? [];

type Pressed = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey">;

/** Returns the command for a key press, or `undefined` for keys that the browser handles. */
export function commandOf(
  { key, metaKey, ctrlKey, altKey }: Pressed,
  view: Route["view"],
): string | undefined {
  if (altKey) return undefined;
  const plain = key.length === 1 ? key.toLowerCase() : key;
  return bindingOf(metaKey || ctrlKey ? `mod+${plain}` : key, view)?.command;
}

/** Returns whether a text field keeps the command's keys. The palette opens even from a field. */
export const isForTyping = (command: string): boolean => command !== "palette";
