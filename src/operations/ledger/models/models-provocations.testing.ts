import { onSession, type Provocations } from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  "mental_models.get_model": { INVALID_PAYLOAD: onSession({ modelId: "six-whys" }) },
  "mental_models.list_models": {},
  "mental_models.list_tags": {},
};
