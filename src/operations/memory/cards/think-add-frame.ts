import { defineAddCard } from "./think-add.ts";

export const thinkAddFrame = defineAddCard("frame");
