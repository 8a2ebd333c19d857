import { defineAddCard } from "./define-add-card.ts";

export const thinkAddTest = defineAddCard("test");
