import { stages } from "../../domain/stages/stages.ts";
import type { Operation } from "../pipeline/operation.ts";

/** Everything there is, within a few pages: the memory's many operations by their titles alone. */
export function overview(catalogue: readonly Operation[], subjects: readonly string[]): string {
  const [ledger, memory] = (["ledger", "memory"] as const).map((family) =>
    catalogue.filter((operation) => operation.family === family),
  );
  return [
    "# Thoughtbox",
    "",
    "Begin: `start_new` → `cipher` → `thought`; pass `sessionId` in every call. Every error carries a `recovery`.",
    "",
    "| operation | stage | what |",
    "|---|---|---|",
    ...(ledger ?? []).map(({ name, stage, summary }) => `| \`${name}\` | ${stages[stage]} | ${summary} |`),
    "",
    "## Memory",
    "",
    "Notes, branches and graphs of a `workspace`; open at every stage, without a session. Begin: `macro_branch_note`.",
    "",
    "| operation | what |",
    "|---|---|",
    ...(memory ?? []).map(({ name, title }) => `| \`${name}\` | ${title} |`),
    "",
    `Subjects: ${subjects.join(", ")}. Ask by \`help {topic}\`.`,
    "",
  ].join("\n");
}
