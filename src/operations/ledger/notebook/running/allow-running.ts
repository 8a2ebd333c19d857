import type { SandboxLevel } from "../../../../ports/notebook/cell-runner.ts";
import type { BaseContext } from "../../../pipeline/context.ts";

/** Levels at which a cell cannot reach the rest of the machine through the network or with signals. */
const safeAnywhere: readonly (SandboxLevel | undefined)[] = ["strong", "medium"];

/**
 * Checks whether this caller may run code here. A web page never may, however it was admitted. Below medium, code runs
 * only through the tools that clients ask their users about, and over HTTP only with the token.
 */
async function allowRunning({
  cells,
  caller,
  viaGateway,
  fail,
}: BaseContext<"SANDBOX_REQUIRED">): Promise<void> {
  if (caller.mayRunCells === false)
    fail("SANDBOX_REQUIRED", "A web page cannot run cells or install packages.", {
      recovery: { hint: "Call from a program or from the Observatory, or send the token as a bearer token." },
    });
  const { level, raise } = await cells.sandbox();
  if (safeAnywhere.includes(level)) return;
  const raising =
    raise === undefined ? "Run thoughtbox doctor to see what is missing" : `To raise it, run: ${raise}`;
  if (viaGateway)
    fail(
      "SANDBOX_REQUIRED",
      `The sandbox here is ${level ?? "missing"}. The gateway runs cells only at level medium or strong.`,
      {
        details: { level: level ?? null },
        recovery: {
          hint: `Use the tools notebook_run_cell, notebook_run_all or notebook_install_deps. ${raising}.`,
        },
      },
    );
  if (caller.transport === "http" && !caller.hasToken)
    fail(
      "SANDBOX_REQUIRED",
      `The sandbox here is ${level ?? "missing"}. Over HTTP, cells at this level run only with the token.`,
      {
        details: { level: level ?? null },
        recovery: { hint: `Send the token as a bearer token. ${raising}.` },
      },
    );
}

/** Runs `work` if the caller may run code here and not too many runs are waiting. */
export async function whenAllowed<Result>(
  context: BaseContext<"SANDBOX_REQUIRED">,
  work: () => Promise<Result>,
): Promise<Result> {
  await allowRunning(context);
  const { caller, cells, fail } = context;
  // A client of the newer protocol has no connection, so the caller is the admitted user.
  const leave = cells.enter(caller.binding ?? caller.principal ?? caller.transport);
  if (!leave)
    return fail("SANDBOX_REQUIRED", "Too many runs and installations are already waiting. Nothing was run.", {
      recovery: { hint: "Send the same call again when one of them has finished." },
    });
  try {
    return await work();
  } finally {
    leave();
  }
}
