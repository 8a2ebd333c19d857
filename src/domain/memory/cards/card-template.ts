import type { CardType } from "./card.ts";

type Template = {
  id: string;
  type: CardType;
  title: string;
  text: string;
  status: string;
  tags: string[];
  meta: Record<string, unknown>;
};

const templateTexts: Record<CardType, { title: string; text: string; status?: string; meta?: object }> = {
  frame: {
    title: "The decision or question, in one sentence",
    text: "Goal:\nConstraints:\nOut of scope:\nDone when:",
  },
  hypothesis: {
    title: "A claim that could turn out wrong",
    text: "Because:\nIt predicts:\nIt would be wrong if:",
  },
  question: {
    title: "What is not known yet",
    text: "Matters because:\nAnswered when:\nCheapest way to find out:",
  },
  test: {
    title: "The smallest check that distinguishes the hypothesis from its rivals",
    text: "CMD: <command>\nExpected if it is true:\nExpected if it is not:",
    meta: { run: { cmd: "<command>" } },
  },
  evidence: {
    title: "What was observed",
    text: "CMD: <command that was run>\nLINK: <where the output can be seen>\nObserved:",
    meta: { source: "local", run: { cmd: "<command that was run>", link: "<where the output can be seen>" } },
  },
  decision: {
    title: "What will be done",
    text: "Because:\nInstead of:\nWould be reversed if:",
    status: "accepted",
  },
  note: { title: "What is worth keeping", text: "" },
  update: { title: "What has changed", text: "Before:\nNow:\nTherefore:" },
};

/** Returns a template with every field that a card may have. `CARD-<n>` stands for the ID of a new card. */
export function cardTemplate(type: CardType): Template {
  const { title, text, status = "open", meta = {} } = templateTexts[type];
  return { id: "CARD-<n>", type, title, text, status, tags: [], meta: { ...meta } };
}
