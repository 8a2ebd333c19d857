/** `10,000` */
export const formatCount = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** `1 thought`, `2 thoughts` */
export const countOf = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

/** `812 B`, `20 KB`, `1.0 MB` */
export function formatSize(characters: number): string {
  if (characters < 1000) return `${characters} B`;
  if (characters < 1_000_000) return `${Math.round(characters / 1000)} KB`;
  return `${(characters / 1_000_000).toFixed(1)} MB`;
}
