/** Skeletons of notes that begin something; the goal stands where the agent would otherwise stare at a blank page. */
export const noteTemplates = {
  initiative: (goal: string) =>
    [
      "# Initiative",
      "",
      `Goal: ${goal}`,
      "",
      "Why now:",
      "",
      "Done when:",
      "",
      "First step:",
      "",
      "Risks:",
    ].join("\n"),
  decision: (goal: string) =>
    [
      "# Decision",
      "",
      `Question: ${goal}`,
      "",
      "Options:",
      "",
      "Chosen:",
      "",
      "Because:",
      "",
      "Would change our mind:",
    ].join("\n"),
} as const;

export type NoteTemplate = keyof typeof noteTemplates;
export const noteTemplateNames = Object.keys(noteTemplates) as [NoteTemplate, ...NoteTemplate[]];
