import { useComputed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { useObservatory } from "./context.ts";

const systemIsLight = () => matchMedia("(prefers-color-scheme: light)");

/** Returns `dark` or `light`, as set by the user or the system. */
export function useSettledTheme(): "dark" | "light" {
  const { settings } = useObservatory();
  const [isLight, setLight] = useState(() => systemIsLight().matches);
  useEffect(() => {
    const media = systemIsLight();
    const change = () => setLight(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  const chosen = useComputed(() => settings.theme.value).value;
  return chosen === "system" ? (isLight ? "light" : "dark") : chosen;
}
