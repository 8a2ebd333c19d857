import { createTestApp, type doors } from "../../support/test-app.ts";
import { writeTranscripts } from "../../support/transcripts.ts";

/** For calls that search every project. */
export const everywhere = { cwd_prefix: "/" };

/** Returns a client of an app whose user has transcripts. */
export function withTranscripts(
  backend: (typeof doors)[number] = "memory",
  env: Record<string, string> = {},
) {
  const app = createTestApp({ backend, env });
  writeTranscripts(app);
  return { app, client: app.modern() };
}
