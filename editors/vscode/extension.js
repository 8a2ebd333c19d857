"use strict";
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("thoughtbox").get("command", "thoughtbox");
  client = new LanguageClient(
    "thoughtbox",
    "Thoughtbox",
    { command, args: ["lsp"], options: { cwd: workspace.workspaceFolders?.[0]?.uri.fsPath } },
    { documentSelector: [{ scheme: "file" }], initializationOptions: { trusted: workspace.isTrusted } },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
