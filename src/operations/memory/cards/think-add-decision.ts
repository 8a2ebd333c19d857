import { defineAddCard } from "./define-add-card.ts";

export const thinkAddDecision = defineAddCard("decision");
