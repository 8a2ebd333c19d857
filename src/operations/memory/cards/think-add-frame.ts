import { defineAddCard } from "./define-add-card.ts";

export const thinkAddFrame = defineAddCard("frame");
