import { schema } from "./0001-schema.ts";
import type { Migration } from "./migration.ts";

/** In the order of their numbers. Never edit one that another checkout may have run: add another. */
export const migrations: readonly Migration[] = [schema];
