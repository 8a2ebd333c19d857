/** Which operations are not advertised as tools, although the toolset has them. */
export interface ToolVisibility {
  hiddenTools(): Promise<readonly string[]>;
  saveHiddenTools(names: readonly string[]): Promise<void>;
}
