import type { Layer } from "./layer.ts";
import { dieWithParent } from "./unshare.ts";

/** What Node itself can refuse, and nothing of the kernel's: only for operators who name it. */
export function createBasic(setpriv: string | undefined): Layer {
  return {
    level: "basic",
    hasMounts: false,
    permissions: true,
    inside: (directory) => directory,
    wrap: (command, { network = [] }) => [...dieWithParent(setpriv), ...network, ...command],
  };
}

/** A plain process with limits, for operators who said so. */
export function createNone(setpriv: string | undefined): Layer {
  return { ...createBasic(setpriv), level: "none", permissions: false };
}
