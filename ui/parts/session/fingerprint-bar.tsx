import { useEffect, useRef } from "preact/hooks";
import { drawFingerprint } from "../../graph/fingerprint.ts";
import { readTheme } from "../../graph/theme.ts";
import { typeCode, USER } from "../../model/thought-types.ts";
import { useSettledTheme } from "../basics/theme-of-page.ts";

/** Shows a session's types in order, as colours. Lower-case letters are thoughts on branches. */
export function FingerprintBar({ types }: { types: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useSettledTheme();
  useEffect(() => {
    const here = canvas.current;
    const codes = Uint8Array.from(types.toUpperCase(), (letter) =>
      letter === "U" ? USER : typeCode(letter),
    );
    if (here) drawFingerprint(here, codes, codes.length, readTheme(here));
  }, [types, theme]);
  return <canvas class="bar" ref={canvas} aria-hidden="true" />;
}
