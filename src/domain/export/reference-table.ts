import { clip } from "../../kernel/text.ts";
import { plain } from "./markdown-document.ts";

/** What an anchor in the thoughts was found to mean. */
type Reference = {
  anchor: string;
  status: "resolved" | "ambiguous" | "unresolved";
  candidates: readonly { title: string }[];
  selected?:
    | { title: string; sessionId: string; thoughts: readonly { thoughtNumber: number; thought: string }[] }
    | undefined;
};

const shownThoughts = 3;
const shownCharacters = 160;

/** The anchors of a document and what stands behind each, for readers who do not have the other sessions at hand. */
export function referenceTable(references: readonly Reference[]): string {
  const rows = references.map(
    (reference) => `| \`${reference.anchor}\` | ${explain(reference).replaceAll("|", "\\|")} |`,
  );
  return ["## References", "", "| anchor | means |", "|---|---|", ...rows, ""].join("\n");
}

function explain({ status, selected, candidates }: Reference): string {
  if (status === "unresolved") return "nothing that is known here";
  if (!selected) return `one of ${candidates.map(({ title }) => `“${plain(title)}”`).join(", ")}`;
  const thoughts = selected.thoughts
    .slice(0, shownThoughts)
    .map(({ thoughtNumber, thought }) => `${thoughtNumber}: *${plain(clip(thought, shownCharacters))}*`);
  const more = selected.thoughts.length > shownThoughts ? " …" : "";
  const named = thoughts.length > 0 ? `; ${thoughts.join("; ")}${more}` : "; no such thought there";
  return `“${plain(selected.title)}” (\`${selected.sessionId}\`)${named}`;
}
