import type { Migration } from "./migration.ts";

/** The words that the full-text index of graphs holds, in order; it stores nothing of its own. */
export const graphTerms: Migration = {
  apply: (db) => db.exec("CREATE VIRTUAL TABLE graph_words_terms USING fts5vocab (graph_words, instance)"),
};
