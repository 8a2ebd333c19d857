import { defineAddCard } from "./define-add-card.ts";

export const thinkAddQuestion = defineAddCard("question");
