import { resolve } from "node:path";
import { describeOperation, referenceIndex } from "../../operations/help/describe-operation.ts";
import type { Operation } from "../../operations/pipeline/operation.ts";
import type { Command } from "../command.ts";

export const docs: Command = {
  name: "docs",
  group: "More",
  summary: "Write a reference page for every operation.",
  words: ["[directory]"],
  details: ["Run it after you change an operation."],
  examples: [{ line: "thoughtbox docs docs/reference", shows: "one page per operation" }],

  async run({ terminal, words: [directory = "docs/reference"] }) {
    const pages = referencePages(await terminal.catalogue);
    for (const [file, content] of pages)
      await terminal.writeFile(resolve(terminal.directory, directory, file), content);
    return {
      data: { directory, pages: pages.length },
      lines: () => [`Wrote ${pages.length} pages to ${directory}`],
    };
  },
};

function referencePages(catalogue: readonly Operation[]): [file: string, content: string][] {
  const pages = catalogue.map((operation): [string, string] => [
    `${operation.name}.md`,
    describeOperation(operation),
  ]);
  return [["README.md", referenceIndex(catalogue)], ...pages];
}
