import { defineListSessions } from "../session/list-sessions.ts";

export const listSessions = defineListSessions({ name: "list_sessions", toolset: "full", stage: "entry" });
