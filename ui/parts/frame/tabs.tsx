import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { type Place, usePlaces } from "./rail.tsx";

const onOf: Readonly<Record<string, Place>> = {
  home: "home",
  first: "home",
  sessions: "sessions",
  session: "sessions",
  compare: "sessions",
  memory: "memory",
  notebooks: "notebook",
  files: "file",
};

/** Shows the places as a bar at the bottom of a narrow screen. */
export function Tabs() {
  const on = onOf[useObservatory().route.value.view];
  return (
    <nav class="tabs" aria-label="Places">
      {usePlaces().map(({ name, words, href, isNew }) => (
        <a
          key={name}
          class={on === name ? "on" : ""}
          href={href}
          aria-current={on === name ? "page" : undefined}
        >
          <Icon name={name} />
          {isNew && <i class="new" />}
          {words}
        </a>
      ))}
    </nav>
  );
}
