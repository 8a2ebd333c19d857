import { ledgerFailure } from "./failures.ts";

/** A write that names a key happens once: a second call with the same key and content gets the first result. */
export type Once = { key: string; fingerprint: string };

/** Where a key means the same write. Keys of different scopes never meet. */
export const onceScopes = {
  /** Sessions that the first thought opens; the key is made of what was said. */
  opening: "opening",
  sessionsOf: (project: string) => `project:${project}`,
  session: (id: string) => `session:${id}`,
  knowledgeOf: (project: string) => `knowledge:${project}`,
  notebooksOf: (project: string) => `notebooks:${project}`,
  notebook: (id: string) => `notebook:${id}`,
  workspace: (name: string) => `memory:${name}`,
};

/** Refuses a key that was used for another write. */
export function checkSameWrite(once: Once, earlier: { fingerprint: unknown }): void {
  if (earlier.fingerprint !== once.fingerprint) throw ledgerFailure("key_reused", {});
}
