import { defineAddCard } from "./think-add.ts";

export const thinkAddQuestion = defineAddCard("question");
