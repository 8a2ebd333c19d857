import { defineAddCard } from "./define-add-card.ts";

export const thinkAddUpdate = defineAddCard("update");
