import * as z from "zod";
import { slugProject } from "../../../domain/ledger/project.ts";
import { quote } from "../../../kernel/text.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { shortens } from "../../pipeline/fit/fit.ts";
import { lastSegment, nameOfRoot } from "../../pipeline/root-project.ts";
import { chooseProject } from "../open-session.ts";

const rootSchema = z.strictObject({ uri: z.string(), name: z.string().optional() });

export const listRoots = defineOperation({
  name: "list_roots",
  family: "ledger",
  title: "List roots",
  summary: "Shows the directories that the client offers as roots.",
  toolset: "full",
  stage: "entry",
  effect: "read",
  scope: "caller",
  input: {},
  output: z.strictObject({
    supported: z.boolean(),
    roots: z.array(rootSchema),
    problem: z.string().optional(),
  }),
  fit: shortens("roots"),
  errors: [],
  examples: [{ title: "what the client offers", input: {} }],

  async handle(_input, { caller, answers }) {
    if (!caller.can.roots) return { supported: false, roots: [] };
    if (!answers.roots) return { ask: "roots" };
    if ("failed" in answers.roots)
      return {
        supported: true,
        roots: [],
        problem: `The client did not return its roots: ${answers.roots.failed}.`,
      };
    return { supported: true, roots: [...answers.roots] };
  },
});

export const bindRoot = defineOperation({
  name: "bind_root",
  family: "ledger",
  title: "Bind a root",
  summary: "Makes one of the client's roots the project for later calls.",
  toolset: "full",
  stage: "entry",
  effect: "write",
  scope: "caller",
  input: {
    rootUri: z
      .string()
      .min(1)
      .max(2_000)
      .describe("URI of one of the client's roots, as list_roots shows it."),
  },
  spellings: { aliases: { root: "rootUri", uri: "rootUri" } },
  output: z.strictObject({ boundRoot: z.string(), root: rootSchema, project: z.string() }),
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "the repository", given: "a client with roots", input: { rootUri: "file:///home/ada/shop" } },
  ],

  async handle({ rootUri }, context) {
    const { caller, answers, fail } = context;
    if (caller.can.roots && !answers.roots) return { ask: "roots" };
    const roots = answers.roots ?? [];
    if ("failed" in roots) {
      return fail("INVALID_PAYLOAD", `The client did not return its roots: ${roots.failed}.`, {
        recovery: {
          hint: "Choose the project by name instead, with navigate or start_new.",
          operation: "navigate",
          args: { project: lastSegment(rootUri) || "project" },
        },
      });
    }
    const root = roots.find(({ uri }) => uri === rootUri);
    if (!root) {
      return fail("INVALID_PAYLOAD", `${quote(rootUri)} is not a root of this client.`, {
        details: { roots: roots.slice(0, 50) },
        recovery: { hint: "List the client's roots.", operation: "list_roots", args: {} },
      });
    }
    const project = chooseProject(context, nameOfRoot(root));
    const navigation = { ...context.callerState.navigation, project };
    await context.changeCallerState({ boundRoot: root.uri, navigation, project });
    return { boundRoot: root.uri, root: { ...root }, project: slugProject(project) };
  },
});
