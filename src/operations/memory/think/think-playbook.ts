import * as z from "zod";
import { parseFrontMatter } from "../../../kernel/front-matter.ts";
import { defineMemory } from "../define-memory.ts";

const fallback = "generic";

export const thinkPlaybook = defineMemory({
  name: "think_playbook",
  title: "Read a playbook",
  summary:
    "Returns a playbook: default, strict, breakthrough, debug, bisect, criteria_matrix, experiment or contradiction.",
  effect: "read",
  anywhere: true,
  input: {
    name: z.string().min(1).max(64).describe("Name of the playbook. Any other name returns a generic one."),
  },
  output: {
    name: z.string(),
    title: z.string(),
    playbook: z.string(),
    known: z.array(z.string()).optional(),
  },
  trim: { text: "playbook" },
  errors: [],
  examples: [{ title: "when something fails", input: { name: "debug" } }],

  async handle({ name }, memory) {
    const known = (await memory.content.list("playbooks")).filter((one) => one !== fallback);
    const asked = name.trim().toLowerCase().replaceAll("-", "_");
    const chosen = known.includes(asked) ? asked : fallback;
    const { head, body } = parseFrontMatter(await memory.content.read(`playbooks/${chosen}.md`));
    return { name: chosen, title: String(head["title"]), playbook: body.trim(), known };
  },
});
