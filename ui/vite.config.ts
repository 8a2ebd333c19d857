import { join } from "node:path";
import { defineConfig } from "vite";

const out = join(import.meta.dirname, "..", "dist", "observatory");

/** Mode `share` builds the script and the style that a shared file carries inside itself: one of each, no chunks. */
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
    // The policy of the page allows fonts and scripts from our own address only, never from data: or inline.
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
