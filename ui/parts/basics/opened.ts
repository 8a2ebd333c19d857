import { useEffect, useState } from "preact/hooks";

/** Calls `open` while the component is shown. If `key` changes, stops what is open and calls `open` again. */
export function useOpened<Thing extends { stop: () => void }>(
  key: string | undefined,
  open: () => Thing | undefined,
): Thing | undefined {
  const [opened, setOpened] = useState<{ key: string; thing: Thing }>();
  useEffect(() => {
    const thing = key === undefined ? undefined : open();
    if (key === undefined || !thing) return;
    setOpened({ key, thing });
    return () => thing.stop();
  }, [key]);
  return opened?.key === key ? opened?.thing : undefined;
}
