import * as z from "zod";
import { defaultBranch, defaultDocs } from "../../../domain/memory/limits.ts";
import { defineMemory } from "../define-memory.ts";
import { defaultsSchema } from "./status.ts";

export const init = defineMemory({
  name: "init",
  title: "Prepare a workspace",
  summary: "Creates the memory's workspace and its main branch, if they do not exist yet.",
  effect: "write",
  input: {},
  output: {
    workspace: z.string(),
    storage_dir: z.string(),
    schema_version: z.int(),
    checkout: z.string(),
    defaults: defaultsSchema,
  },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "a workspace by name", input: { workspace: "acme/repo" } }],

  async handle(_input, { workspace, memory, commit, settings }) {
    const [{ checkout }] = await commit([{ do: "bootstrap" }]);
    return {
      workspace,
      storage_dir: settings.storageDir,
      schema_version: await memory.schemaVersion(),
      checkout,
      defaults: { branch: defaultBranch, docs: defaultDocs },
    };
  },
});
