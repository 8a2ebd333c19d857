import { existsSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "./config.ts";
import { answerWith, type HookInput, readFacts } from "./domain/recall/hook-answer.ts";
import { systemClock } from "./kernel/clock.ts";
import { createSecretsPolicy } from "./kernel/secrets/secrets-policy.ts";
import { gatherRecall, ownSessions } from "./operations/memory/hooks/gather-recall.ts";
import { isForeign, isServed, workspaceAfter } from "./operations/pipeline/workspace.ts";
import { anyone } from "./ports/memory/memory-store.ts";
import { createSqliteStore } from "./storage/sqlite/sqlite-store.ts";

type Request = { client: string; event: string; input: HookInput; dataDir: string };

/** Runs `session_begin` for a hook that found no server. Loads only what is needed to read the store. */
export async function readRecall({ client, event, input, dataDir }: Request): Promise<object> {
  const { cwd, conversation, transcript, source } = readFacts(input);
  const config = readConfig({
    overrides: { THOUGHTBOX_DATA_DIR: dataDir },
    fromGit: true,
    ...(cwd !== undefined && { cwd }),
  });
  if (config.storage !== "fs" || !existsSync(join(dataDir, "thoughtbox.db"))) return {};
  const store = createSqliteStore({ kind: "directory", path: dataDir }, systemClock, { readOnly: true });
  try {
    const { project } = config;
    const own =
      source === "compact"
        ? await ownSessions(store.conversations, { project, client, conversation, transcript })
        : [];
    const workspace = config.workspace ?? workspaceAfter(project);
    const state = await store.memory.readWorkspace(workspace, anyone);
    if (!isServed(config, workspace) || isForeign(config, state)) return {};
    const recall = await gatherRecall(store, { project, workspace, own });
    return createSecretsPolicy(config.secrets).forAnswer(answerWith(client, event, recall));
  } finally {
    await store.close();
  }
}
