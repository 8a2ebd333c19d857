import { defineAddCard } from "./think-add.ts";

export const thinkAddDecision = defineAddCard("decision");
