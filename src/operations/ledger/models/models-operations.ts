import type { Operation } from "../../pipeline/operation.ts";
import { mentalModelsListModels } from "./mental-models.ts";
import { mentalModelsGetModel } from "./mental-models-get-model.ts";
import { mentalModelsListTags } from "./mental-models-list-tags.ts";

/** In the order in which help and docs show them. */
export const modelsOperations: readonly Operation[] = [
  mentalModelsGetModel,
  mentalModelsListModels,
  mentalModelsListTags,
];
