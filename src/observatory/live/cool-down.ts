/** Gathers keys: the first is passed on at once, those that follow at most every `everyMs`, each once. */
export function createCoolDown(everyMs: number, pass: (keys: readonly string[]) => void) {
  const gathered = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    if (gathered.size === 0) return;
    const keys = [...gathered];
    gathered.clear();
    timer = setTimeout(flush, everyMs).unref();
    pass(keys);
  }

  return {
    note(key: string): void {
      gathered.add(key);
      timer ??= setTimeout(flush, 0).unref();
    },
    clear(): void {
      clearTimeout(timer);
      timer = undefined;
      gathered.clear();
    },
  };
}
