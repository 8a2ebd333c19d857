import { atOnce, type Provocations } from "../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  help: { INVALID_PAYLOAD: atOnce({ topic: "brunches" }) },
};
