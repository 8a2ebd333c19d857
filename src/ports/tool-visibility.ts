/** Tools that are not advertised although the toolset has them, and those that are although it has not. */
export type ToolChoice = { hidden: readonly string[]; shown: readonly string[] };

/** What somebody chose; it counts for servers that start afterwards. */
export interface ToolVisibility {
  readChoice(): Promise<ToolChoice>;
  saveChoice(choice: ToolChoice): Promise<void>;
}
