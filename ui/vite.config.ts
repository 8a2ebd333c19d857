import { join } from "node:path";
import { defineConfig } from "vite";

const out = join(import.meta.dirname, "..", "dist", "observatory");

/** Mode `share` builds the script and the style sheet for a shared file, one of each and without chunks. */
export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: mode === "share" ? join(out, "share") : out,
    emptyOutDir: true,
    target: "es2023",
    // The page's policy allows fonts and scripts only from its own origin, never from data: or inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    ...(mode === "share" && {
      cssCodeSplit: false,
      lib: {
        entry: "share/main.ts",
        formats: ["iife" as const],
        name: "thoughtbox",
        fileName: () => "share.js",
        cssFileName: "share",
      },
    }),
  },
}));
