import { graphTables } from "../schema/graph.ts";
import { ledgerTables } from "../schema/ledger.ts";
import { memoryTables } from "../schema/memory.ts";
import { notebookTables } from "../schema/notebooks.ts";
import { searchTables } from "../schema/search.ts";
import { taskTables } from "../schema/tasks.ts";
import type { Migration } from "./migration.ts";

export const schema: Migration = {
  apply(db) {
    for (const tables of [ledgerTables, memoryTables, graphTables, taskTables, notebookTables, searchTables])
      db.exec(tables);
  },
};
