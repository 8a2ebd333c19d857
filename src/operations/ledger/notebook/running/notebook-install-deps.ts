import * as z from "zod";
import { dependenciesOf, parsePackageSpec } from "../../../../domain/notebook/cell-content.ts";
import { addPackages, packageJsonWith } from "../../../../domain/notebook/change-cells.ts";
import { notebookLimits } from "../../../../domain/notebook/notebook.ts";
import { defineOperation } from "../../../pipeline/define.ts";
import { excerpt, shownOfOne } from "../cells/cell-answer.ts";
import { changeCells, findNotebook } from "../find-notebook.ts";
import { notebookId } from "../notebook-fields.ts";
import { whenAllowed } from "./run-cell-now.ts";

export const notebookInstallDeps = defineOperation({
  name: "notebook.install_deps",
  family: "ledger",
  title: "Install packages",
  summary:
    "Installs packages from the npm registry for a notebook, without running their scripts. Adds new packages to package.json.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "destroy",
  openWorld: true,
  scope: "caller",
  input: {
    notebookId,
    packages: z
      .array(z.string().min(1).max(330))
      .max(notebookLimits.packages)
      .default([])
      .describe("Packages to add, such as zod@^4.0.0. Default: those in package.json."),
  },
  output: z.strictObject({
    notebookId: z.string(),
    status: z.enum(["completed", "failed"]),
    output: z.string(),
    error: z.string().nullable(),
    installed: z.array(z.strictObject({ name: z.string(), version: z.string() })),
    wantedScripts: z.array(z.string()).optional(),
    durationMs: z.int(),
  }),
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "SANDBOX_REQUIRED", "STORAGE_ERROR"],
  examples: [
    {
      title: "those in package.json",
      given: "a notebook",
      input: { sessionId: "$session", notebookId: "$notebook" },
    },
  ],

  handle: ({ notebookId, packages }, context) =>
    whenAllowed(context, async () => {
      const added = packages.map(parsePackageSpec);
      const wanted = dependenciesOf(packageJsonWith(await findNotebook(context, notebookId), added));
      let done = 0;
      const progress = (message: string) => context.progress(done++, 3, message);
      const { signal } = context;
      const result = await context.cells.install({ notebookId, packages: wanted }, { signal, progress });
      signal.throwIfAborted();
      const { status, output, error, installed, wantedScripts, notEnforced, durationMs } = result;
      // An installation takes a while, and other calls may have changed the cell in the meantime.
      if (status === "completed" && added.length > 0)
        await changeCells({ ...context, once: undefined }, notebookId, (now) =>
          addPackages(now, context.newId(), added),
        );
      if (wantedScripts.length > 0)
        context.warn({
          code: "SCRIPTS_NOT_RUN",
          message: `These packages have install scripts, which Thoughtbox never runs: ${wantedScripts.slice(0, 20).join(", ")}.`,
        });
      if (notEnforced.length > 0)
        context.warn({
          code: "NOT_ENFORCED",
          message: `At this sandbox level, only npm's own settings prevent the following: ${notEnforced.join(", ")}.`,
        });
      return {
        notebookId,
        status,
        output: excerpt(output, shownOfOne),
        error: error ?? null,
        installed: installed.slice(0, 200),
        ...(wantedScripts.length > 0 && { wantedScripts: wantedScripts.slice(0, 200) }),
        durationMs,
      };
    }),
});
