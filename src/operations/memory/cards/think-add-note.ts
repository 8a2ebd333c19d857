import { defineAddCard } from "./think-add.ts";

export const thinkAddNote = defineAddCard("note");
