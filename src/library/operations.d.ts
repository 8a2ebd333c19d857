/*
 * Inside this repository, any operation accepts any arguments, and `perform` checks them. The package contains a
 * different `operations.d.mts`, which the build creates from the catalogue and the table of errors.
 */

export type { ErrorCode } from "../kernel/errors.ts";

export interface Operations {
  [name: string]: { arguments: Record<string, unknown>; result: Record<string, unknown> };
}
