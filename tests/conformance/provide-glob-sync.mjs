// The suite imports fs.globSync, which node 20 does not have. Only its `sdk` command calls it, and we never do.
import fs from "node:fs";
import { register } from "node:module";

const asModule = (source) => `data:text/javascript,${encodeURIComponent(source)}`;

const fileSystem = asModule(`
  export * from "node:fs";
  export function globSync() { throw new Error("fs.globSync needs node 22"); }
`);

const hooks = asModule(`
  export function resolve(specifier, context, next) {
    const bySuite = context.parentURL?.includes("/@modelcontextprotocol/conformance/");
    return specifier === "fs" && bySuite
      ? { url: ${JSON.stringify(fileSystem)}, shortCircuit: true }
      : next(specifier, context);
  }
`);

if (!("globSync" in fs)) register(hooks);
