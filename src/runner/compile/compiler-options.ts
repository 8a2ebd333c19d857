/** The compiler options that change what code means; all else in a tsconfig is for editors. */
const obeyed = ["experimentalDecorators", "useDefineForClassFields", "verbatimModuleSyntax"] as const;

export type ObeyedTsconfig = { compilerOptions: Partial<Record<(typeof obeyed)[number], boolean>> };

/** Never fails: a tsconfig that cannot be read obliges nobody. */
export function obeyedOptions(tsconfig: string | undefined): ObeyedTsconfig {
  const compilerOptions: ObeyedTsconfig["compilerOptions"] = {};
  try {
    const parsed = JSON.parse(tsconfig ?? "{}") as { compilerOptions?: Record<string, unknown> };
    for (const name of obeyed) {
      const value = parsed.compilerOptions?.[name];
      if (typeof value === "boolean") compilerOptions[name] = value;
    }
  } catch {
    // Comments and trailing commas are allowed in a tsconfig, and none of our concern.
  }
  return { compilerOptions };
}
