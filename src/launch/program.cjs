// Separate from thoughtbox.js, because an old Node.js cannot even parse `import`.
"use strict";

import("./main.mjs").catch((error) => {
  const reason = error.code ?? error.name;
  process.stderr.write(
    `thoughtbox: The program cannot be loaded (${reason}). Reinstall it, then start it again.\n`,
  );
  process.exit(1);
});
