import { defineAddCard } from "./define-add-card.ts";

export const thinkAddHypothesis = defineAddCard("hypothesis");
