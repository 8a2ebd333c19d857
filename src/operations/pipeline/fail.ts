import { type ErrorCode, ThoughtboxError } from "../../kernel/errors.ts";
import type { Fail } from "./context.ts";

/** Handlers get it typed with the codes that they declare. */
export const fail: Fail<ErrorCode> = (code, message, options) => {
  throw new ThoughtboxError(code, message, options);
};
