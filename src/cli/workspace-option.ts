import type { Flags, Option } from "./command.ts";

/** As THOUGHTBOX_WORKSPACE says it, for one start. */
export const workspaceOption: Readonly<Record<string, Option>> = {
  workspace: {
    value: "name",
    describe: "Workspace of the memory where a call names none; else THOUGHTBOX_WORKSPACE.",
  },
};

export function workspaceSetting(flags: Flags): Record<string, string> {
  const workspace = flags.text("workspace");
  return workspace === undefined ? {} : { THOUGHTBOX_WORKSPACE: workspace };
}
