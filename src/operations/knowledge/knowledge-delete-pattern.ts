import { defineDeleteNote } from "./define-delete-note.ts";

export const knowledgeDeletePattern = defineDeleteNote({
  name: "knowledge.delete_pattern",
  title: "Drop a pattern",
  summary: "Takes a pattern out of the project's knowledge.",
  kind: "pattern",
  list: "knowledge.list_patterns",
  example: "check-the-pool",
});
