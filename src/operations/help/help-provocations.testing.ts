import { atOnce, type Provocations } from "../../../tests/catalogue/provoke.ts";

/** How each declared code comes about. */
export const provocations: Provocations = {
  help: { INVALID_PAYLOAD: atOnce({ topic: "brunches" }) },
};
