import type { Command } from "./command.ts";
import { commandOf, goCommands, isForTyping } from "./keys.ts";
import { TYPES, typeCode } from "./model/thought-types.ts";
import type { Observatory } from "./observatory.ts";

const LETTER_WITHIN = 1_500;
const PLACE_WITHIN = 800;
/** Keys that a focused button or link handles itself. */
const ownKeys = new Set(["Enter", " "]);

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
const isPressable = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("button, a[href], input") !== null;

/** Runs the command for each key. `awaitType` makes the next letter select a type. */
export function listenToKeys(o: Observatory, commands: readonly Command[]): { awaitType: () => void } {
  let typeUntil = 0;
  /** Cancels waiting for the letter after `g`. */
  let cancelGo: (() => void) | undefined;
  const run = (id: string) => commands.find((command) => command.id === id)?.run();
  const awaitPlace = () => {
    const cancel = o.environment.after(PLACE_WITHIN, () => {
      cancelGo = undefined;
      run("sessions");
    });
    cancelGo = cancel;
  };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const command = commandOf(event, o.route.peek().view);
    if (isField(event.target) && command !== "back-out" && (command === undefined || isForTyping(command)))
      return;
    if (cancelGo && event.key !== "Shift") {
      cancelGo();
      cancelGo = undefined;
      const place = goCommands[event.key];
      if (place !== undefined) {
        event.preventDefault();
        return run(place);
      }
    }
    const letter = event.key.toUpperCase();
    if (o.environment.now() < typeUntil && letter.length === 1 && TYPES.includes(letter)) {
      typeUntil = 0;
      o.watching.peek()?.toggleType(typeCode(letter));
      event.preventDefault();
      return;
    }
    typeUntil = 0;
    if (command === undefined || (isPressable(event.target) && ownKeys.has(event.key))) return;
    if (o.overlay.peek() !== "none" && command !== "back-out" && command !== "palette") return;
    if (command === "go") return awaitPlace();
    const known = commands.find(({ id }) => id === command);
    if (!known) return;
    event.preventDefault();
    known.run();
  });
  return {
    awaitType: () => {
      typeUntil = o.environment.now() + LETTER_WITHIN;
    },
  };
}
