import type { Command } from "../../command.ts";

export const lsp: Command = {
  name: "lsp",
  group: "Serve",
  summary: "Show why lines exist in your editor, as a language server on stdin and stdout.",
  details: [
    "Hover over a line to see who wrote it, what was asked and the reason. A code lens marks the lines of each session.",
    "Set it up in Neovim, Helix or VS Code: docs/guide/why.md.",
  ],
  examples: [
    {
      line: 'vim.lsp.config("thoughtbox", { cmd = { "thoughtbox", "lsp" } })',
      shows: "let Neovim start it",
    },
  ],

  run: ({ terminal }) => terminal.serveLanguage(),
};
