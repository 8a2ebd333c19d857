import type { Layer } from "./layer.ts";
import { dieWithParent } from "./unshare.ts";

/** Node's permission flags and nothing else: network and signals stay open on the Nodes that cannot close them. */
export function createBasic(setpriv: string | undefined): Layer {
  return {
    level: "basic",
    permissions: true,
    inside: (directory) => directory,
    wrap: (command) => [...dieWithParent(setpriv), ...command],
  };
}

/** A plain process with limits, for operators who said so. */
export function createNone(setpriv: string | undefined): Layer {
  return { ...createBasic(setpriv), level: "none", permissions: false };
}
