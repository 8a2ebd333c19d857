import { type Columns, MAIN, NONE } from "./model/columns.ts";
import { gist } from "./model/gist.ts";
import { typeLetter } from "./model/thought-types.ts";
import { toVisible } from "./text/visible-text.ts";

const MOST_CHARACTERS = 60;
const MOST_THOUGHTS = 500;

/** Replaces quotes, brackets and `#` with entities, because Mermaid would interpret these characters. */
const asEntities = (text: string): string =>
  toVisible(text).replace(/[^\p{L}\p{N} .,:–-]/gu, (character) => `#${character.codePointAt(0)};`);

const label = (columns: Columns, index: number): string => {
  const words = gist(columns.text[index] ?? "");
  const short = words.length > MOST_CHARACTERS ? `${words.slice(0, MOST_CHARACTERS - 1)}…` : words;
  return `${columns.number[index]} ${typeLetter(columns.type[index] ?? 0)} ${asEntities(short)}`;
};

/** Returns the graph as Mermaid text: one subgraph per branch, dotted revisions, new IDs, escaped text. */
export function toMermaid(columns: Columns): string {
  const size = Math.min(columns.size, MOST_THOUGHTS);
  const lines = ["graph LR"];
  columns.chains.forEach((chain, at) => {
    const own = chain.thoughts.filter((index) => index < size);
    if (own.length === 0) return;
    const nodes = own.map((index) => `t${index}["${label(columns, index)}"]`);
    if (at === MAIN) lines.push(...nodes.map((node) => `  ${node}`));
    else
      lines.push(
        `  subgraph b${at}["${asEntities(chain.id)}"]`,
        ...nodes.map((node) => `    ${node}`),
        "  end",
      );
  });
  for (let index = 0; index < size; index++) {
    const parent = columns.parent[index] ?? NONE;
    if (parent >= 0) lines.push(`  t${parent} --> t${index}`);
    const replaced = columns.revises[index] ?? NONE;
    if (replaced >= 0) lines.push(`  t${index} -. replaces .-> t${replaced}`);
  }
  if (columns.size > size) lines.push(`  more["${columns.size - size} more thoughts"]`);
  return `${lines.join("\n")}\n`;
}
