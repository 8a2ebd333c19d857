import { defineDeleteNote } from "./define-delete-note.ts";

export const knowledgeDeleteScratchpad = defineDeleteNote({
  name: "knowledge.delete_scratchpad",
  title: "Drop a scratchpad note",
  summary: "Takes a scratchpad note away.",
  kind: "scratchpad",
  list: "knowledge.list_scratchpad",
  example: "handover",
});
