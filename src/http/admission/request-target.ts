/**
 * Origin form (`/path?query`) in printable ASCII. `//host` is grammatical but refused, since
 * `new URL(target, base)` somewhere behind the door would read a host from it.
 */
export function isOriginForm(target: string): boolean {
  return /^\/(?!\/)[!-~]*$/.test(target) && !/[\\#]/.test(target);
}

export function pathOf(target: string): string {
  return target.split("?", 1)[0] ?? target;
}
