import { useLayoutEffect } from "preact/hooks";
import { useObservatory } from "../parts/basics/context.ts";
import { useSettledTheme } from "../parts/basics/theme-of-page.ts";
import { KeySheet } from "../parts/frame/key-sheet.tsx";
import { Palette } from "../parts/frame/palette.tsx";
import { Toaster } from "../parts/frame/toast.tsx";
import type { Shared } from "../state/words.ts";
import { SessionBody } from "../views/session.tsx";
import { ShareHead } from "./head.tsx";

/** Shows the page of a shared file: one session, without a server. */
export function SharedSession({ shared }: { shared: Shared }) {
  const o = useObservatory();
  const theme = useSettledTheme();
  const route = o.route.value;
  const watching = o.watching.value;
  const overlay = o.overlay.value;
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return (
    <>
      <ShareHead shared={shared} />
      {watching && (route.view === "session" || route.view === "compare") && (
        <SessionBody route={route} watching={watching} />
      )}
      <Toaster />
      {overlay === "palette" && <Palette />}
      {overlay === "keys" && <KeySheet />}
      <div class="off-screen" aria-live="polite">
        {o.said.value}
      </div>
    </>
  );
}
