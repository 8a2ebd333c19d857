import { join } from "node:path";
import { defineConfig } from "vite";

const out = join(import.meta.dirname, "..", "dist", "observatory");

/**
 * The page and the viewer in shared files use one script: `share/start.tsx` is an entry, so everything it needs is in
 * its chunk, and a shared file contains that chunk. Mode `share` builds the style sheet for shared files.
 */
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
    rolldownOptions:
      mode === "share"
        ? { input: "share/style.css", output: { assetFileNames: "share.css" } }
        : {
            input: { index: "index.html", viewer: "share/start.tsx" },
            output: { entryFileNames: "assets/[name]-[hash].js" },
            preserveEntrySignatures: "allow-extension",
          },
  },
}));
