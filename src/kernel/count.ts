/** "1 thought", "2 thoughts", "1 branch", "2 branches", "2 entries". */
export function count(number: number, noun: string): string {
  return `${figure(number)} ${number === 1 ? noun : pluralOf(noun)}`;
}

function pluralOf(noun: string): string {
  if (/(?:s|ch|sh|x)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

export const figure = (number: number): string => number.toLocaleString("en");
