import { graphTables } from "../schema/graph.ts";
import { ledgerTables } from "../schema/ledger.ts";
import { memoryTables } from "../schema/memory.ts";
import { notebookTables } from "../schema/notebooks.ts";
import { searchTables } from "../schema/search.ts";
import { taskTables } from "../schema/tasks.ts";
import type { Migration } from "./migration.ts";

export const schema: Migration = {
  leaves: "f65a92d6ceb2f276cdd71a375d24f45e1ae8a8bd0bb76a96615d752c7c5be13d",
  apply(db) {
    for (const tables of [ledgerTables, memoryTables, graphTables, taskTables, notebookTables, searchTables])
      db.exec(tables);
  },
};
