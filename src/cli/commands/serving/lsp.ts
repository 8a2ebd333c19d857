import type { Command } from "../../command.ts";

export const lsp: Command = {
  name: "lsp",
  group: "Serve",
  summary: "Run a language server that shows in your editor why lines exist.",
  details: [
    "Hover over a line to see who wrote it, what was asked and the reason. Code lenses mark the lines that each session wrote. Editors start this command and talk to it over stdin and stdout.",
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
