import { Banner } from "../basics/banner.tsx";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";

/** Shows a banner while the connection is down. */
export function ConnectionBanner() {
  const server = useObservatory().server.value;
  const connection = server?.connection;
  const now = useNow(500);
  if (!connection) return null;
  const { state, retryAt } = connection;
  if (state.value === "refused")
    return (
      <div class="push">
        <Banner title="This page needs the token">
          Open the address that <code>thoughtbox observatory</code> prints. It includes the token.
        </Banner>
      </div>
    );
  const tryNow = (
    <button type="button" class="btn" onClick={() => connection.tryNow()}>
      Try now
    </button>
  );
  const program = server.health.value?.program;
  if (state.value === "gone")
    return (
      <div class="push">
        <Banner title="Thoughtbox is not running" action={tryNow}>
          This tab shows only what it has already loaded. Start Thoughtbox again{" "}
          {program ? (
            <>
              with <code>{program.shell} serve</code>
            </>
          ) : (
            "the way you started it"
          )}
          .
        </Banner>
      </div>
    );
  const isReturning = state.value === "connecting" && connection.openings.value > 0;
  if (state.value !== "waiting" && !isReturning) return null;
  const seconds = Math.max(0, Math.ceil((retryAt.value - now) / 1000));
  return (
    <div class="push">
      <Banner title="Connection lost" action={tryNow}>
        Your agent keeps working, and Thoughtbox still records every thought.{" "}
        {isReturning || seconds === 0 ? "Trying again now." : `Trying again in\u{a0}${seconds}\u{a0}s.`}
      </Banner>
    </div>
  );
}
