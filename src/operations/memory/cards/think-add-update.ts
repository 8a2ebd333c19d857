import { defineAddCard } from "./think-add.ts";

export const thinkAddUpdate = defineAddCard("update");
