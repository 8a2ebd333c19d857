import type { AnchorFailures } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { quote } from "../../../kernel/text.ts";
import type { WordsFor } from "./words.ts";

const listAnchors = (workspace: string, hint = "List the existing anchors.") => ({
  hint,
  operation: "anchors_list",
  args: { workspace },
});

const helpOn = (topic: string, hint: string) => ({ hint, operation: "help", args: { topic } });

export const anchorWords: WordsFor<AnchorFailures> = {
  unknown_anchor: ({ workspace, anchor }) => ({
    message: `There is no anchor ${quote(anchor)}, and no card has this tag.`,
    details: { anchor },
    recovery: listAnchors(workspace),
  }),
  anchor_incomplete: ({ anchor, missing }) => ({
    message: `${quote(anchor)} is new: pass ${missing.join(" and ")} to register it.`,
    details: { hints: missing.map((field) => ({ kind: "missing", field })) },
    recovery: helpOn("macro_anchor_note", "See the fields of macro_anchor_note and an example."),
  }),
  anchor_taken: ({ workspace, anchor, holder, from }) => ({
    message:
      anchor === holder
        ? `The anchor ${quote(anchor)} already exists. anchors_merge merges ${quote(from)} into it.`
        : `${quote(anchor)} is already an alias of ${quote(holder)}.`,
    details: { anchor, holder },
    recovery: {
      hint: `See the cards of ${holder}.`,
      operation: "anchor_snapshot",
      args: { workspace, anchor: holder },
    },
  }),
  anchor_cycle: ({ workspace, anchor, parent }) => ({
    message: `${quote(anchor)} cannot be below ${quote(parent)}, because ${quote(parent)} is already below it.`,
    details: { hints: [{ kind: "type", field: "parent_id" }] },
    recovery: {
      hint: "See the hierarchy of anchors.",
      operation: "anchors_export",
      args: { workspace, format: "text" },
    },
  }),
  invalid_anchor: ({ problem, kind, field }) => ({
    message: problem,
    details: { hints: [{ kind, field }] },
    recovery: helpOn("anchors", "See how anchors work."),
  }),
};
