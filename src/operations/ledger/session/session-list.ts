import { defineListSessions } from "./list-sessions.ts";

export const sessionList = defineListSessions({
  name: "session.list",
  toolset: "full",
  stage: "init_complete",
});
