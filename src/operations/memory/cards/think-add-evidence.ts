import { defineAddCard } from "./think-add.ts";

export const thinkAddEvidence = defineAddCard("evidence");
