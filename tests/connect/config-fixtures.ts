import type { ClientName } from "../../src/kernel/client-names.ts";

/** A configuration that a user might have, and its path below their home. */
export type Fixture = { name: string; client: ClientName; file: string; content: string };

const copilot = (name: string, content: string): Fixture => ({
  name,
  client: "copilot-cli",
  file: ".copilot/mcp-config.json",
  content,
});
const vscode = (name: string, content: string): Fixture => ({
  name,
  client: "vscode",
  file: ".config/Code/User/mcp.json",
  content,
});
const opencode = (name: string, content: string, file = "opencode.json"): Fixture => ({
  name,
  client: "opencode",
  file: `.config/opencode/${file}`,
  content,
});
const codex = (name: string, content: string): Fixture => ({
  name,
  client: "codex",
  file: "codex/config.toml",
  content,
});

export const usable: readonly Fixture[] = [
  copilot("an empty object", "{}"),
  copilot("an empty object over lines", "{\n}\n"),
  copilot("an empty list of servers", '{\n  "mcpServers": {}\n}\n'),
  copilot("another server", '{\n  "mcpServers": {\n    "git": { "command": "git-mcp" }\n  }\n}\n'),
  copilot("everything on one line", '{"mcpServers":{"git":{"command":"git-mcp"}},"theme":"dark"}'),
  copilot("an empty file", ""),
  copilot("only a line end", "\n"),
  copilot("no line end at the end", '{\n  "theme": "dark"\n}'),
  vscode(
    "comments everywhere",
    '// mine\n{\n  /* servers */\n  "servers": {\n    // git\n    "git": { "command": "g" } // keep\n  },\n  "inputs": [] // none\n}\n',
  ),
  vscode("a trailing comma", '{\n  "servers": {\n    "git": { "command": "g" },\n  },\n}\n'),
  vscode("CRLF line ends", '{\r\n  "servers": {\r\n    "git": { "command": "g" }\r\n  }\r\n}\r\n'),
  vscode("a byte order mark", '\ufeff{\n  "servers": {}\n}\n'),
  vscode("tabs", '{\n\t"servers": {\n\t\t"git": {\n\t\t\t"command": "g"\n\t\t}\n\t}\n}\n'),
  vscode("a comment in an empty object", '{\n  "servers": {\n    // none yet\n  }\n}\n'),
  vscode(
    "our name in another place",
    '{\n  "note": "thoughtbox",\n  "servers": { "x": { "args": ["thoughtbox"] } }\n}\n',
  ),
  opencode(
    "many other settings",
    '{\n    "$schema": "x",\n    "model": "a/b",\n    "mcp": {\n        "one": { "type": "local", "command": ["a"] }\n    },\n    "theme": "x"\n}\n',
  ),
  opencode("a file with comments in its name", '{\n  // model\n  "model": "a/b",\n}\n', "opencode.jsonc"),
  opencode("text beyond ASCII", '{\n  "model": "größe/模型",\n  "emoji": "🧠"\n}\n'),
  codex("an empty file", ""),
  codex(
    "other servers with comments",
    '# mine\nmodel = "x" # fast\n\n[mcp_servers.git] # git\ncommand = "git-mcp"\n\n[tui]\ntheme = "dark"\n',
  ),
  codex("no line end at the end", 'model = "x"'),
  codex("CRLF line ends", 'model = "x"\r\n[tui]\r\ntheme = "dark"\r\n'),
  codex("a byte order mark", '\ufeffmodel = "x"\n'),
  codex("texts over several lines", 'notes = """\n[mcp_servers.thoughtbox]\n# not a table\n"""\n'),
  codex("hooks of its own", '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n'),
  codex(
    "dates, numbers and lists",
    'when = 2026-11-17T10:00:00Z\nn = 1_000\nx = [1, 2,\n 3]\n[a.b."c d"]\ny = inf\n',
  ),
];

export const unusable: readonly (Fixture & { says: string })[] = [
  { ...copilot("broken JSON", '{ "mcpServers": '), says: "is not valid JSON" },
  { ...copilot("a list", "[]"), says: "contains no JSON object" },
  { ...copilot("only comments", "// nothing"), says: "is not valid JSON" },
  {
    ...copilot("servers that are no object", '{ "mcpServers": [] }'),
    says: '"mcpServers" in it is not an object',
  },
  { ...codex("broken TOML", "model = \n"), says: "is not valid TOML" },
  {
    ...codex("servers in one line", 'mcp_servers = { git = { command = "g" } }\n'),
    says: "cannot be extended",
  },
  { ...codex("hooks in one line", "hooks = { Stop = [] }\n"), says: "cannot be extended" },
];
