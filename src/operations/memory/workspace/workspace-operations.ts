import type { Operation } from "../../pipeline/operation.ts";
import { diagnostics } from "./diagnostics.ts";
import { init } from "./init.ts";
import { status } from "./status.ts";

/** In the order in which help and docs show them. */
export const workspaceOperations: readonly Operation[] = [init, status, diagnostics];
