import { describeOperation } from "../operations/help/describe-operation.ts";
import { referenceIndex } from "../operations/help/reference-index.ts";
import type { Terminal } from "./host.ts";

/** Regenerates `docs/reference/` from the catalogue; run after every change of an operation. */
export async function writeDocs(
  terminal: Terminal,
  [directory = "docs/reference"]: string[],
): Promise<number> {
  for (const [file, content] of referencePages(terminal))
    await terminal.writeFile(`${directory}/${file}`, content);
  terminal.out(`Wrote ${terminal.catalogue.length + 1} pages to ${directory}\n`);
  return 0;
}

function referencePages({ catalogue }: Terminal): [file: string, content: string][] {
  const pages = catalogue.map((operation): [string, string] => [
    `${operation.name}.md`,
    describeOperation(operation),
  ]);
  return [["README.md", referenceIndex(catalogue)], ...pages];
}
