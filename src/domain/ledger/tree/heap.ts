/** Gives back the first of what was put in, whatever the order of putting in. */
export function createHeap<Item>(comesBefore: (one: Item, other: Item) => boolean) {
  const items: Item[] = [];

  const isBefore = (one: number, other: number): boolean =>
    comesBefore(items[one] as Item, items[other] as Item);

  function swap(one: number, other: number): void {
    [items[one], items[other]] = [items[other] as Item, items[one] as Item];
  }

  function sink(): void {
    for (let at = 0; ; ) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < items.length && isBefore(child, first)) first = child;
      if (first === at) return;
      swap(at, first);
      at = first;
    }
  }

  return {
    push(item: Item): void {
      items.push(item);
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isBefore(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop(): Item | undefined {
      const [first] = items;
      const last = items.pop();
      if (items.length > 0 && last !== undefined) {
        items[0] = last;
        sink();
      }
      return first;
    },
  };
}
