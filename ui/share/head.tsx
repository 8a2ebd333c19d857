import { useCommand } from "../parts/basics/context.ts";
import { Icon, Logo } from "../parts/basics/icon.tsx";
import { PlainText } from "../parts/basics/plain-text.tsx";
import { ThemeButton } from "../parts/frame/top-bar.tsx";
import { ViewTabs } from "../parts/frame/view-tabs.tsx";
import type { Shared } from "../state/words.ts";
import { countOf } from "../text/count-words.ts";
import { formatDay } from "../text/time-words.ts";

/** Describes the file: title, date, number of thoughts, masked secrets, and the head of the hash chain. */
export function ShareHead({ shared }: { shared: Shared }) {
  const run = useCommand();
  const { session, thoughts, secretsMasked, chain } = shared;
  const hash = chain.headHash;
  return (
    <header class="top shr">
      <span class="brand">
        <Logo />
      </span>
      <div class="crumb">
        <h1 class="t" title={session.title}>
          <PlainText text={session.title} />
        </h1>
      </div>
      <span class="facts">
        {formatDay(Date.parse(session.createdAt))} · {countOf(thoughts.length, "thought")} ·{" "}
        {secretsMasked > 0 && `${countOf(secretsMasked, "secret")} masked · `}
        {hash !== "" && (
          <>
            head <span class="mono" title={hash}>{`${hash.slice(0, 4)}…${hash.slice(-4)}`}</span>
          </>
        )}
      </span>
      <ViewTabs />
      <button type="button" class="find" onClick={() => run("search")}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>/</kbd>
      </button>
      <ThemeButton />
    </header>
  );
}
