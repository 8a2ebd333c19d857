import { defineAddCard } from "./define-add-card.ts";

export const thinkAddNote = defineAddCard("note");
