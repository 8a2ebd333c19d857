import type { Message, TransformFailure, TransformOptions, TransformResult } from "esbuild";
import type { CodeFile } from "../../ports/notebook/cell-runner.ts";

/** The time limit for one cell. Even the longest allowed one normally takes a tenth of a second. */
const longestMs = 10_000;

export type Compiler = {
  /** Rejects with esbuild's own failure, which contains locations, or with an error for which `isHopeless` is true. */
  transform(source: string, options: TransformOptions): Promise<TransformResult>;
  close(): Promise<void>;
};

/**
 * One esbuild process compiles all cells. Deeply nested source can crash that process or keep it busy for
 * minutes. The process is then restarted, and the other cells that it was compiling are retried once, one by
 * one.
 */
export function createCompiler(): Compiler {
  // Loaded when the first cell runs, because most servers never run one.
  let loaded: Promise<typeof import("esbuild")> | undefined;
  let inTurn: Promise<unknown> = Promise.resolve();
  const load = () => {
    loaded ??= import("esbuild");
    return loaded;
  };

  async function attempt(source: string, options: TransformOptions): Promise<TransformResult> {
    const { transform, stop } = await load();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(hopeless), longestMs);
    });
    try {
      return await Promise.race([transform(source, options), late]);
    } catch (thrown) {
      if (namesPlaces(thrown)) throw thrown;
      await stop();
      throw thrown === hopeless ? hopeless : ended;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    transform(source, options) {
      return attempt(source, options).catch((thrown) => {
        if (thrown !== ended) throw thrown;
        const again = inTurn.then(() => attempt(source, options));
        inTurn = again.catch(() => {});
        return again;
      });
    },
    async close() {
      const esbuild = await loaded;
      await esbuild?.stop();
    },
  };
}

const hopeless = new Error("It took too long.");
const ended = new Error("The compiler exited.");

/** True if the source took too long, or crashed the compiler twice. */
const isHopeless = (thrown: unknown): boolean => thrown === hopeless || thrown === ended;

function namesPlaces(thrown: unknown): thrown is TransformFailure {
  const errors = (thrown as Partial<TransformFailure>).errors;
  return Array.isArray(errors) && errors.length > 0;
}

/** JavaScript with its source map, or the reason why the cell could not be compiled. */
export type CompiledCell = { code: string; mappings: string } | { failure: string };

type Compilation = { files: readonly CodeFile[]; entry: string; tsconfig?: string | undefined };

/** True for files to compile. CommonJS files are not compiled. */
const isModule = ({ filename }: CodeFile): boolean => !filename.endsWith(".cjs");

/** The compiler options that change the meaning of code. The rest of a tsconfig is for editors. */
const obeyed = ["experimentalDecorators", "useDefineForClassFields", "verbatimModuleSyntax"] as const;

type ObeyedTsconfig = { compilerOptions: Partial<Record<(typeof obeyed)[number], boolean>> };

/** Returns the options that change the meaning of code. Ignores an unreadable tsconfig. */
function obeyedOptions(tsconfig: string | undefined): ObeyedTsconfig {
  const compilerOptions: ObeyedTsconfig["compilerOptions"] = {};
  try {
    const parsed = JSON.parse(tsconfig ?? "{}") as { compilerOptions?: Record<string, unknown> };
    for (const name of obeyed) {
      const value = parsed.compilerOptions?.[name];
      if (typeof value === "boolean") compilerOptions[name] = value;
    }
  } catch {
    // A tsconfig may contain comments and trailing commas. It is then ignored.
  }
  return { compilerOptions };
}

/** Compiles cells, keyed by filename. Bundles nothing, because imports are resolved when a cell runs. */
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

/** Resolves with true if the code parses as a module. */
type Parses = (code: string) => Promise<boolean>;

type Wrapped = { code: string; addedLines: number };

/** Declarations would also parse inside parentheses, but with a different meaning. */
const declaration = /^(?:async\s+function|function|class)\b/;
const maxCandidates = 12;

/**
 * Passes the last expression of the code to `import.meta.thoughtboxValue`. esbuild starts each statement in the first
 * column, but a line in a template literal may start there too. The parser decides: the text before a statement must be
 * a valid program, and an expression must be valid in parentheses. Line numbers stay the same, except for `addedLines`.
 */
async function wrapLastExpression(code: string, parses: Parses): Promise<Wrapped | undefined> {
  // Code that is inserted into a `#!` line would have no effect.
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
    return `SyntaxError: ${filename}: the compiler gave up. Reduce the nesting, or split the cell.`;
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
