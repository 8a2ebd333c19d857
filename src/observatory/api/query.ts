import { invalid } from "./answer.ts";

/** Reads the parameters of an address: bounded, and refused with a sentence where they make no sense. */
export function readQuery(parameters: URLSearchParams) {
  const text = (name: string): string | undefined => parameters.get(name) || undefined;
  return {
    text,
    number(name: string, { min, max, standard }: { min: number; max: number; standard: number }): number {
      const given = text(name);
      if (given === undefined) return standard;
      if (!/^\d{1,15}$/.test(given) || Number(given) < min)
        throw invalid(`${name} must be a whole number from ${min} on.`);
      return Math.min(Number(given), max);
    },
  };
}

export type Query = ReturnType<typeof readQuery>;
