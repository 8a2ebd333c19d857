/** Says whether a piece of JavaScript parses as a module. */
export type Parses = (code: string) => Promise<boolean>;

export type Wrapped = { code: string; addedLines: number };

/** Declarations would parse inside parentheses too, as something else. */
const declaration = /^(?:async\s+function|function|class)\b/;
const maxCandidates = 12;

/**
 * Code as esbuild prints it, with its last expression handed to `import.meta.thoughtboxValue`. There, a statement begins
 * in the first column; so may a line inside a template literal, which the parser tells apart: what stands before a
 * statement is a program, what stands in parentheses an expression. Lines keep their numbers but for `addedLines`.
 */
export async function wrapLastExpression(code: string, parses: Parses): Promise<Wrapped | undefined> {
  // A line of `#!` would swallow what is put behind it.
  const lines = code.trimEnd().replace(/^#!.*/, "").split("\n");
  let tried = 0;
  for (let at = lines.length - 1; at >= 0 && tried < maxCandidates; at -= 1) {
    if (!/^[^\s})\]]/.test(lines[at] ?? "")) continue;
    tried += 1;
    const before = lines.slice(0, at).join("\n");
    const expression = lines.slice(at).join("\n").replace(/;$/, "");
    if (!(await parses(before))) continue;
    if (declaration.test(expression) || !(await parses(`(${expression}\n);`))) return undefined;
    return {
      code: `${before};import.meta.thoughtboxValue(await (\n${expression}\n));\n`,
      addedLines: at === 0 ? 1 : 0,
    };
  }
  return undefined;
}
