const injectedBeginnings = [
  ...["<command-name>", "<command-message>", "<local-command-", "<system-reminder>", "<bash-", "Caveat: "],
  ...["<environment_context>", "<user_instructions>", "<permissions instructions>", "<INSTRUCTIONS>"],
  ...["# AGENTS.md instructions for ", "<user_action>", "<turn_aborted>", "<task-notification>"],
];

/** Programs hand their own notices to the model as messages of the user. */
export function isInjected(text: string): boolean {
  const beginning = text.slice(0, 200).trimStart();
  return injectedBeginnings.some((mark) => beginning.startsWith(mark));
}
