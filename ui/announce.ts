import { effect } from "@preact/signals";
import { NONE } from "./model/columns.ts";
import { gist } from "./model/gist.ts";
import { TYPE_NAMES, typeLetter } from "./model/thought-types.ts";
import type { Observatory } from "./observatory.ts";
import { countOf } from "./text/count-words.ts";
import { toVisible } from "./text/visible-text.ts";

const QUIET_FOR = 5_000;

/** Announces the selected thought to screen readers. Announces new thoughts at most every five seconds. */
export function announce(o: Observatory): void {
  const name = (index: number): string => {
    const columns = o.watching.peek()?.session.columns.peek();
    if (!columns) return "";
    return `${TYPE_NAMES[typeLetter(columns.type[index] ?? 0)]} ${columns.number[index]}`;
  };

  effect(() => {
    const here = o.watching.value;
    const selected = here?.selected.value ?? NONE;
    if (!here || selected === NONE) return;
    const { chain, chains, revises, number, text } = here.session.columns.peek();
    const branch = chains[chain[selected] ?? 0]?.id;
    const replaced = revises[selected] ?? NONE;
    const line = branch ? `branch ${toVisible(branch)}` : "main line";
    const replaces = replaced >= 0 ? `, replaces ${number[replaced]}` : "";
    o.said.value = `${name(selected)}, ${line}${replaces}. ${toVisible(gist(text[selected] ?? ""))}`;
  });

  effect(() => {
    const here = o.watching.value;
    if (!here) return;
    let told = here.session.columns.peek().size;
    let waits = false;
    let cancel = () => {};
    const tell = () => {
      waits = false;
      const size = here.session.columns.peek().size;
      if (size > told) o.said.value = `${countOf(size - told, "new thought")}, newest: ${name(size - 1)}`;
      told = size;
    };
    const stop = effect(() => {
      if (here.session.arrived.value === 0) {
        here.session.version.value;
        told = here.session.columns.peek().size;
      } else if (!waits) {
        waits = true;
        cancel = o.environment.after(QUIET_FOR, tell);
      }
    });
    return () => {
      stop();
      cancel();
    };
  });
}
