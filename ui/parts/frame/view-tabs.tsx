import { compare } from "../../acts.ts";
import { sessionRoute } from "../../route.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { Segments } from "../basics/segments.tsx";

type View = "graph" | "outline" | "compare";
const views = [
  ["graph", "Graph"],
  ["outline", "Outline"],
  ["compare", "Compare"],
] as const;

/** Shows tabs for the three views of a session. */
export function ViewTabs() {
  const o = useObservatory();
  const route = o.route.value;
  const chosen: View = route.view === "compare" ? "compare" : o.view.value;
  const choose = (view: View) => {
    if (view === chosen) return;
    if (view === "compare") compare(o);
    else if (route.view === "compare") o.navigation.go(sessionRoute(route.session, { as: view }));
    else o.look({ as: view });
  };
  return (
    <Segments
      label="View"
      chosen={chosen}
      onChoose={choose}
      segments={views.map(([name, words]) => ({
        name,
        title: words,
        words: (
          <>
            <Icon name={name} />
            <span>{words}</span>
          </>
        ),
      }))}
    />
  );
}
