import { defineAddCard } from "./think-add.ts";

export const thinkAddTest = defineAddCard("test");
