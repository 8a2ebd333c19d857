import {
  mentalModelsGetModel,
  mentalModelsListModels,
} from "../../../operations/ledger/models/mental-models.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { argumentsFrom, type FieldFlags } from "../../operation-options.ts";
import { renderProse } from "../../rendering/prose.ts";
import { renderWrappedTable } from "../../rendering/wrapped-table.ts";

const flags: FieldFlags = { tag: { field: "tags", value: "tag", many: true } };

export const models: Command = {
  name: "models",
  group: "Look",
  summary: "List mental models, or read one.",
  words: ["[name]"],
  options: {
    tag: {
      value: "tag",
      describe: "Only models with this tag. Can be repeated.",
      choices: tagChoices(),
      many: true,
    },
  },
  examples: [
    { line: "thoughtbox models", shows: "all fifteen" },
    { line: "thoughtbox models --tag debugging", shows: "for one kind of work" },
    { line: "thoughtbox models five-whys", shows: "one in full" },
  ],

  async run({ terminal, words: [name], flags: given }) {
    return withStore(terminal, async (host) => {
      if (name !== undefined) {
        const model = await ask(
          host,
          mentalModelsGetModel,
          { modelId: name },
          { next: "thoughtbox models lists all models." },
        );
        return { data: model, lines: (context) => renderProse(model.content, context) };
      }
      const listing = await ask(host, mentalModelsListModels, argumentsFrom(given, flags));
      return {
        data: listing,
        lines: (context) =>
          renderWrappedTable(
            context,
            ["name", "for", "what it does"],
            listing.models.map(({ name, tags, description }) => [name, tags.join(", "), description]),
          ),
      };
    });
  },
};

/** Returns the tags, which are the domains in the catalogue. */
function tagChoices(): string[] {
  const tags = mentalModelsListModels.input.shape["tags"] as unknown as {
    unwrap(): { element: { options: string[] } };
  };
  return tags.unwrap().element.options;
}
