import type { SandboxLevel, SandboxReport } from "../../ports/notebook/cell-runner.ts";
import { type Attempt, attemptAttacks } from "./attempt-attacks.ts";
import { createBasic, createNone } from "./bare.ts";
import { createBubblewrap } from "./bubblewrap.ts";
import { findProgram } from "./find-program.ts";
import { howToRaise } from "./how-to-raise.ts";
import type { Layer } from "./layer.ts";
import type { NodeFlags } from "./node-flags.ts";
import { createUnshare } from "./unshare.ts";

/** `auto` takes the best level there is, never `none`; a level by name is that one or nothing. */
export type SandboxChoice = "auto" | SandboxLevel;

export type Chosen = { layer: Layer | undefined; report: SandboxReport };

/** What no process inside may manage for the level to count as reached. */
const tolerated: Record<SandboxLevel, readonly Attempt["breaches"][number][]> = {
  // Tried without Node's permission flags: the namespaces must hold alone. A process may be started, inside.
  strong: ["spawn"],
  medium: [],
  basic: ["network", "signal"],
  none: ["read", "network", "signal", "spawn"],
};

export async function chooseLayer(choice: SandboxChoice, node: string, flags: NodeFlags): Promise<Chosen> {
  const setpriv = await findProgram("setpriv");
  const [bwrap, unshare] = [await findProgram("bwrap"), await findProgram("unshare")];
  const candidates: { level: SandboxLevel; layer: Layer | undefined; missing: string }[] = [
    {
      level: "strong",
      layer: bwrap === undefined ? undefined : createBubblewrap(bwrap, node),
      missing: "bubblewrap is not installed",
    },
    {
      level: "medium",
      layer: unshare === undefined ? undefined : createUnshare(unshare, setpriv),
      missing: "unshare is not installed",
    },
    { level: "basic", layer: createBasic(setpriv), missing: "" },
    { level: "none", layer: createNone(setpriv), missing: "" },
  ];
  const lacking: { level: SandboxLevel; reason: string }[] = [];
  for (const { level, layer, missing } of candidates) {
    if (choice === "auto" ? level === "none" : level !== choice) continue;
    const reason = layer ? await flawOf(layer, node, flags) : missing;
    if (reason === undefined) {
      const raise =
        choice === "auto" && level !== "strong" ? await howToRaise(bwrap !== undefined) : undefined;
      return { layer, report: { level, lacking, raise } };
    }
    lacking.push({ level, reason });
  }
  return {
    layer: undefined,
    report: { level: undefined, lacking, raise: await howToRaise(bwrap !== undefined) },
  };
}

async function flawOf(layer: Layer, node: string, flags: NodeFlags): Promise<string | undefined> {
  const { breaches, reason } = await attemptAttacks(
    layer,
    node,
    layer.level === "strong" ? undefined : flags,
  );
  const bad = breaches.filter((breach) => !tolerated[layer.level].includes(breach));
  if (bad.length === 0) return undefined;
  if (bad.includes("start")) return reason === "" ? "a process inside it does not start" : reason;
  return `a process inside it got through: ${bad.join(", ")}`;
}
