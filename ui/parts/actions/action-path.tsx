import type { Action } from "../../model/pages/actions.ts";
import { formatRoute } from "../../route.ts";
import { findWrittenLines } from "../../state/pages/written-lines.ts";
import type { Watching } from "../../state/watching.ts";
import { toVisible } from "../../text/visible-text.ts";
import { useObservatory } from "../basics/context.ts";
import { PlainText } from "../basics/plain-text.tsx";

type Props = {
  path: string;
  /** If set, a click opens the lines that this edit wrote. */
  edit?: { session: string; action: Action };
  watching?: Watching;
};

/** Shows a path that opens its file. If there is not enough room, cuts the folders but not the name. */
export function ActionPath({ path, edit, watching }: Props) {
  const o = useObservatory();
  const end = path.split("/").slice(-3).join("/");
  const name = end.slice(end.lastIndexOf("/") + 1);
  const route = { view: "files", path, line: undefined } as const;
  const open = async (event: MouseEvent) => {
    const server = o.server.peek();
    if (!edit || !watching || !server || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const thought = edit.action.after < 0 ? undefined : watching.nameOf(edit.action.after);
    const lines = await findWrittenLines(server.get, path, { session: edit.session, thought });
    o.navigation.go({ ...route, ...lines });
  };
  return (
    <a href={formatRoute(route)} aria-label={toVisible(end)} onClick={(event) => void open(event)}>
      <span class="ell">
        <PlainText text={end.slice(0, end.length - name.length)} />
      </span>
      <span>
        <PlainText text={name} />
      </span>
    </a>
  );
}
