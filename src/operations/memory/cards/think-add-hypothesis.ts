import { defineAddCard } from "./think-add.ts";

export const thinkAddHypothesis = defineAddCard("hypothesis");
