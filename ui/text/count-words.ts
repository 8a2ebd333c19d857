/** Formats a number, such as `10,000`. */
export const formatCount = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** Formats a count with its noun, such as `1 thought` or `2 thoughts`. */
export const countOf = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

/** Formats a size, such as `812 B`, `20 KB` or `1.0 MB`. */
export function formatSize(characters: number): string {
  if (characters < 1000) return `${characters} B`;
  if (characters < 1_000_000) return `${Math.round(characters / 1000)} KB`;
  return `${(characters / 1_000_000).toFixed(1)} MB`;
}
