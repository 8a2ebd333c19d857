import * as z from "zod";
import { nearest } from "../../../kernel/nearest.ts";
import { quote } from "../../../kernel/text.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { limit, offset, offsetPage, offsetPageSchema } from "../../pipeline/fields.ts";
import { toolName } from "../../pipeline/normalise.ts";

export const sessionDiscovery = defineOperation({
  name: "session.discovery",
  family: "ledger",
  title: "Manage advertised tools",
  summary:
    "Lists, hides or shows operations as separate tools, regardless of the toolset. Hidden operations can still be called.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "caller",
  input: {
    action: z.enum(["list", "hide", "show"]).describe("What to do."),
    toolName: z.string().min(1).max(100).optional().describe("Tool to hide or show."),
    limit: limit(200, 50),
    offset,
  },
  advanced: ["limit", "offset"],
  output: z.strictObject({
    tools: z.array(z.strictObject({ name: z.string(), hidden: z.boolean() })),
    ...offsetPageSchema,
    hidden: z.array(z.string()),
    shown: z.array(z.string()),
    effective: z.string(),
  }),
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "list the tools",
      given: "a session with thoughts",
      input: { sessionId: "$session", action: "list" },
    },
    {
      title: "hide one",
      given: "a session with thoughts",
      input: { sessionId: "$session", action: "hide", toolName: "get_structure" },
    },
  ],

  async handle({ action, toolName: asked, limit, offset }, { catalogue, discovery, settings, fail }) {
    if (action !== "list" && settings.projectLock)
      return fail(
        "INVALID_PAYLOAD",
        "This server is locked to one project, but the list of tools applies to all projects.",
        { recovery: { hint: "Ask the operator to change the list on a server without a lock." } },
      );
    const names = catalogue.map(({ name }) => toolName(name));
    const tool = asked === undefined ? undefined : toolName(asked);
    if (action !== "list" && tool === undefined) return fail("INVALID_PAYLOAD", `${action} needs toolName.`);
    if (tool !== undefined && !names.includes(tool)) {
      const guess = nearest(tool, names);
      return fail(
        "INVALID_PAYLOAD",
        `There is no tool ${quote(tool)}.${guess ? ` Did you mean ${guess}?` : ""}`,
        {
          recovery: {
            hint: "List the existing tools.",
            operation: "session.discovery",
            args: { action: "list" },
          },
        },
      );
    }
    const choice = await discovery.readChoice();
    const [hidden, shown] = [new Set(choice.hidden), new Set(choice.shown)];
    if (action !== "list" && tool !== undefined) {
      const [to, from] = action === "hide" ? [hidden, shown] : [shown, hidden];
      to.add(tool);
      from.delete(tool);
      await discovery.saveChoice({ hidden: [...hidden].sort(), shown: [...shown].sort() });
    }
    const listed = action === "list" ? names.slice(offset, offset + limit) : [tool ?? ""];
    return {
      tools: listed.map((name) => ({ name, hidden: hidden.has(name) })),
      ...offsetPage(offset, listed.length, names.length),
      ...(action !== "list" && { hasMore: false }),
      hidden: [...hidden].sort(),
      shown: [...shown].sort(),
      effective: "for servers that start later. A running server's list never changes",
    };
  },
});
