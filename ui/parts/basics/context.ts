import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Command } from "../../command.ts";
import type { Observatory } from "../../observatory.ts";

export type Page = { observatory: Observatory; commands: readonly Command[] };

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error("this part is outside the page");
  return page;
}

export const useObservatory = (): Observatory => usePage().observatory;

/** Runs a command by its name, as its key would. */
export function useCommand(): (id: string) => void {
  const { commands } = usePage();
  return (id) => commands.find((command) => command.id === id)?.run();
}
