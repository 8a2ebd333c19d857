// Runs the installed Thoughtbox. Without one, a hook says nothing, and the client continues as if it were not there.
"use strict";
const { existsSync, realpathSync } = require("node:fs");
const { delimiter, dirname, join } = require("node:path");

const beside = join(__dirname, "..", "dist", "thoughtbox.js");
const onPath = (process.env.PATH ?? "").split(delimiter).flatMap((folder) => {
  const command = join(folder, "thoughtbox");
  const installed = join(folder, "node_modules", "thoughtbox", "dist", "thoughtbox.js");
  return existsSync(command) ? [join(dirname(realpathSync(command)), "thoughtbox.js"), installed] : [];
});
const found = [beside, ...onPath].find((file) => existsSync(file));
if (found) require(found);
else if (process.argv[2] === "hook") process.stdout.write("{}");
else {
  process.stderr.write("thoughtbox: The plugin needs Thoughtbox itself. Install it, so that `thoughtbox` is on the PATH.\n");
  process.exitCode = 1;
}
