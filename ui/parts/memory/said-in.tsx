import { formatRoute, sessionRoute } from "../../route.ts";
import { nameOf } from "../../state/pages/files.ts";
import { Icon } from "../basics/icon.tsx";

/** Shows a link to the thought that states a blocker. */
export function SaidIn({ thought }: { thought: string }) {
  const named = nameOf(thought);
  if (!named) return null;
  const { session, branch, number } = named;
  return (
    <a class="lnk" href={formatRoute(sessionRoute(session, { thought: { branch, number } }))}>
      <Icon name="right" size={12} />
      said in thought {number}
    </a>
  );
}
