import type { Operation } from "../../pipeline/operation.ts";
import { thinkAddDecision } from "./think-add-decision.ts";
import { thinkAddEvidence } from "./think-add-evidence.ts";
import { thinkAddFrame } from "./think-add-frame.ts";
import { thinkAddHypothesis } from "./think-add-hypothesis.ts";
import { thinkAddNote } from "./think-add-note.ts";
import { thinkAddQuestion } from "./think-add-question.ts";
import { thinkAddTest } from "./think-add-test.ts";
import { thinkAddUpdate } from "./think-add-update.ts";
import { thinkCard } from "./think-card.ts";
import { thinkImport } from "./think-import.ts";
import { thinkPipeline } from "./think-pipeline.ts";
import { thinkTemplate } from "./think-template.ts";

/** In the order in which help and docs show them. */
export const cardsOperations: readonly Operation[] = [
  thinkTemplate,
  thinkCard,
  thinkPipeline,
  thinkAddFrame,
  thinkAddHypothesis,
  thinkAddQuestion,
  thinkAddTest,
  thinkAddEvidence,
  thinkAddDecision,
  thinkAddNote,
  thinkAddUpdate,
  thinkImport,
];
