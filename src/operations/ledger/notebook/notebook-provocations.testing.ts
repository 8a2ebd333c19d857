import {
  brokenStore,
  nobody,
  type Provocations,
  type Provoke,
  refused,
} from "../../../../tests/catalogue/provoke.ts";
import { fillIn, situations } from "../../../../tests/support/situations.ts";
import { createTestApp } from "../../../../tests/support/test-app.ts";
import { catalogue } from "../../catalogue.ts";

/** Calls the operation in a project with a notebook. */
const given =
  (args: Record<string, unknown>, situation = "a notebook"): Provoke =>
  async (name, backend) => {
    const prepared = await situations[situation]?.(createTestApp({ backend }));
    if (!prepared) throw new Error(`there is no situation ${situation}`);
    const named = { sessionId: "$session", notebookId: "$notebook", ...args };
    return refused(prepared.client, name, fillIn(named, prepared));
  };

/** Runs the first example on a notebook that does not exist. */
const unknown: Provoke = (name, backend) => {
  const example = catalogue.find((operation) => operation.name === name)?.examples[0]?.input;
  return given({ ...example, notebookId: nobody })(name, backend);
};

const withoutNotebook =
  (args: Record<string, unknown>): Provoke =>
  async (name, backend) => {
    const prepared = await situations["a notebook"]?.(createTestApp({ backend }));
    if (!prepared) throw new Error("there is no such situation");
    return refused(prepared.client, name, { sessionId: prepared.sessionId, ...args });
  };

/** Runs the first example for a caller that may not run cells, such as a web page. */
const fromPage: Provoke = async (name, backend) => {
  const app = createTestApp({ backend });
  const prepared = await situations["a notebook"]?.(app);
  const example = catalogue.find((operation) => operation.name === name)?.examples[0]?.input ?? {};
  return refused(app.modern({ mayRunCells: false }), name, fillIn(example, prepared as never));
};

const recordNowhere = given({ cellId: "add.ts", recordAs: { sessionId: nobody } });

/** Refers to a thought that the session does not have. */
const recordOfNothing = (args: Record<string, unknown>): Provoke =>
  given({ ...args, recordAs: { sessionId: "$session", references: [999] } });

const twoTitles =
  '<!-- srcbook:{"language":"javascript"} -->\n\n###### a.js\n\n```\n1\n```\n\n###### A.js\n\n```\n2\n```\n';

export const provocations: Provocations = {
  "notebook.create": { INVALID_PAYLOAD: withoutNotebook({ name: "two\nlines" }), STORAGE_ERROR: brokenStore },
  "notebook.list": { STORAGE_ERROR: brokenStore },
  "notebook.load": {
    INVALID_PAYLOAD: withoutNotebook({ content: "# Only Markdown" }),
    CONFLICT: withoutNotebook({ content: twoTitles }),
    STORAGE_ERROR: brokenStore,
  },
  "notebook.add_cell": {
    UNKNOWN_ID: unknown,
    INVALID_PAYLOAD: given({ type: "code", content: "1", filename: "../add.ts" }),
    CONFLICT: given({ type: "code", content: "1", filename: "ADD.ts" }),
    STORAGE_ERROR: brokenStore,
  },
  "notebook.update_cell": {
    UNKNOWN_ID: given({ cellId: "nowhere.ts", content: "1" }),
    INVALID_PAYLOAD: given({ cellId: "add.ts" }),
    CONFLICT: async (name, backend) => {
      const prepared = await situations["a notebook"]?.(createTestApp({ backend }));
      if (!prepared) throw new Error("there is no such situation");
      const { client, sessionId, notebook: notebookId } = prepared;
      const other = { sessionId, notebookId, type: "code", filename: "other.ts", content: "0" };
      await client.call("notebook.add_cell", other);
      return refused(client, name, { sessionId, notebookId, cellId: "add.ts", filename: "other.ts" });
    },
    STORAGE_ERROR: brokenStore,
  },
  "notebook.move_cell": {
    UNKNOWN_ID: given({ cellId: "nowhere.ts", position: 0 }),
    INVALID_PAYLOAD: given({ cellId: "add.ts" }),
    STORAGE_ERROR: brokenStore,
  },
  "notebook.delete_cell": { UNKNOWN_ID: given({ cellId: "nowhere.ts" }), STORAGE_ERROR: brokenStore },
  "notebook.restore_cell": {
    UNKNOWN_ID: given({ cellId: "add.ts", version: 7 }),
    CONFLICT: async (name, backend) => {
      const prepared = await situations["a notebook"]?.(createTestApp({ backend }));
      if (!prepared) throw new Error("there is no such situation");
      const { client, sessionId, notebook: notebookId } = prepared;
      const gone = await client.call("notebook.delete_cell", { sessionId, notebookId, cellId: "add.ts" });
      const other = { sessionId, notebookId, type: "code", filename: "add.ts", content: "0" };
      await client.call("notebook.add_cell", other);
      return refused(client, name, { sessionId, notebookId, cellId: gone.cellId });
    },
    STORAGE_ERROR: brokenStore,
  },
  "notebook.get_cell": { UNKNOWN_ID: given({ cellId: "nowhere.ts" }), STORAGE_ERROR: brokenStore },
  "notebook.list_cells": { UNKNOWN_ID: unknown, STORAGE_ERROR: brokenStore },
  "notebook.run_cell": {
    UNKNOWN_ID: given({ cellId: "nowhere.ts" }),
    INVALID_PAYLOAD: given({ cellId: "package.json" }),
    SESSION_NOT_FOUND: recordNowhere,
    THOUGHT_NOT_FOUND: recordOfNothing({ cellId: "add.ts" }),
    SANDBOX_REQUIRED: fromPage,
    STORAGE_ERROR: brokenStore,
  },
  "notebook.run_all": {
    UNKNOWN_ID: unknown,
    SESSION_NOT_FOUND: given({ recordAs: { sessionId: nobody } }),
    THOUGHT_NOT_FOUND: recordOfNothing({}),
    SANDBOX_REQUIRED: fromPage,
    STORAGE_ERROR: brokenStore,
  },
  "notebook.install_deps": {
    UNKNOWN_ID: unknown,
    INVALID_PAYLOAD: given({ packages: ["left-pad@file:/etc"] }),
    SANDBOX_REQUIRED: fromPage,
    STORAGE_ERROR: brokenStore,
  },
  "notebook.export": {
    UNKNOWN_ID: unknown,
    INVALID_PAYLOAD: given({ path: "../elsewhere" }),
    STORAGE_ERROR: brokenStore,
  },
  "notebook.delete": { UNKNOWN_ID: unknown, INVALID_PAYLOAD: given({}), STORAGE_ERROR: brokenStore },
  "notebook.restore": { UNKNOWN_ID: unknown, STORAGE_ERROR: brokenStore },
};
