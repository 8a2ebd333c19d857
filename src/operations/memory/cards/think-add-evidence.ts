import { defineAddCard } from "./define-add-card.ts";

export const thinkAddEvidence = defineAddCard("evidence");
