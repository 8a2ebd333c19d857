import { signal } from "@preact/signals";
import { render } from "preact";
import { announce } from "../announce.ts";
import type { Command } from "../command.ts";
import { createCommands } from "../commands.ts";
import { listenToKeys } from "../key-listener.ts";
import { browserAddressBar } from "../navigation.ts";
import { createObservatory } from "../observatory.ts";
import { PageContext } from "../parts/basics/context.ts";
import { createHands } from "../parts/basics/hands.ts";
import { sessionRoute } from "../route.ts";
import { browserEnvironment } from "../state/environment.ts";
import { createSession } from "../state/session.ts";
import { createWatching } from "../state/watching.ts";
import { localWords, type Shared } from "../state/words.ts";
import { SharedSession } from "./shared-session.tsx";

/** The address of the script that contains the viewer. */
export const viewerScript = import.meta.url;

function startShare(shared: Shared): void {
  const environment = browserEnvironment();
  const narrowScreen = matchMedia("(max-width: 640px)");
  const narrow = signal(narrowScreen.matches);
  narrowScreen.addEventListener("change", () => {
    narrow.value = narrowScreen.matches;
  });

  const observatory = createObservatory({
    environment,
    address: browserAddressBar(),
    narrow,
    open: (id, looking) => {
      const session = createSession(id);
      session.load({ ...shared.session, status: "completed" }, shared.thoughts);
      session.setRemarks(shared.remarks);
      return {
        watching: createWatching(session, localWords(session, shared.cells), looking),
        stop: () => undefined,
      };
    },
  });
  if (!("session" in observatory.route.peek())) observatory.navigation.go(sessionRoute(shared.session.id));

  const commands: Command[] = [];
  const keys = listenToKeys(observatory, commands);
  commands.push(
    ...createCommands(
      observatory,
      createHands(observatory, keys.awaitType, async () => undefined),
    ),
  );
  announce(observatory);

  const host = document.getElementById("app");
  if (host)
    render(
      <PageContext.Provider value={{ observatory, commands }}>
        <SharedSession shared={shared} />
      </PageContext.Provider>,
      host,
    );
}

const inFile = document.querySelector("script#session")?.textContent;
if (inFile) startShare(JSON.parse(inFile));
