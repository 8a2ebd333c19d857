import type { Message, TransformFailure } from "esbuild";
import type { CodeFile } from "../../ports/notebook/cell-runner.ts";
import { type Compiler, isHopeless } from "./compiler.ts";
import { type ObeyedTsconfig, obeyedOptions } from "./compiler-options.ts";
import { wrapLastExpression } from "./last-expression.ts";

/** A cell as its process gets it: JavaScript with its source map, or why there is none. */
export type CompiledCell = { code: string; mappings: string } | { failure: string };

type Compilation = { files: readonly CodeFile[]; entry: string; tsconfig?: string | undefined };

/** CommonJS is left as it is, a file beside the others. */
const isModule = ({ filename }: CodeFile): boolean => !filename.endsWith(".cjs");

/** Every cell by its filename. Nothing is bundled: what a cell imports is found when it runs. */
export async function compileCells(
  { transform }: Pick<Compiler, "transform">,
  { files, entry, tsconfig }: Compilation,
): Promise<Record<string, CompiledCell>> {
  const options = obeyedOptions(tsconfig);
  const compiled = await Promise.all(
    files
      .filter(isModule)
      .map(
        async (file) =>
          [file.filename, await compileCell(transform, file, file.filename === entry, options)] as const,
      ),
  );
  return Object.fromEntries(compiled);
}

async function compileCell(
  transform: Compiler["transform"],
  { filename, source }: CodeFile,
  showsValue: boolean,
  tsconfigRaw: ObeyedTsconfig,
): Promise<CompiledCell> {
  const common = { target: "node20.19", legalComments: "none", logLevel: "silent" } as const;
  try {
    const { code, map } = await transform(source, {
      ...common,
      loader: /\.m?ts$/.test(filename) ? "ts" : "js",
      sourcemap: "external",
      sourcefile: filename,
      tsconfigRaw,
    });
    const mappings = String((JSON.parse(map) as { mappings: unknown }).mappings);
    const parses = (text: string) =>
      transform(text, { ...common, loader: "js" }).then(
        () => true,
        () => false,
      );
    const wrapped = showsValue ? await wrapLastExpression(code, parses) : undefined;
    if (!wrapped) return { code, mappings };
    return { code: wrapped.code, mappings: ";".repeat(wrapped.addedLines) + mappings };
  } catch (thrown) {
    return { failure: describeFailure(filename, thrown) };
  }
}

function describeFailure(filename: string, thrown: unknown): string {
  if (isHopeless(thrown))
    return `SyntaxError: ${filename}: the compiler gave up on it. Nest it less deeply, or split it.`;
  const errors = (thrown as Partial<TransformFailure>).errors;
  if (!Array.isArray(errors) || errors.length === 0) throw thrown;
  return errors
    .slice(0, 5)
    .map((error: Message) => `SyntaxError: ${placeOf(filename, error)}`)
    .join("\n");
}

function placeOf(filename: string, { text, location }: Message): string {
  if (!location) return `${filename}: ${text}`;
  const { line, column, lineText } = location;
  return `${filename}:${line}:${column + 1}: ${text}\n    ${lineText.slice(0, 200)}`;
}
