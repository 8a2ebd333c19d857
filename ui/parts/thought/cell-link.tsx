import type { ComponentChildren } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { parseRoute } from "../../route.ts";
import { readCellName } from "../../state/pages/notebooks.ts";
import { PageContext } from "../basics/context.ts";
import { PlainText } from "../basics/plain-text.tsx";

/**
 * Shows a link to a cell, named after the cell. If there is no server or the cell no longer exists, the link
 * contains the address instead.
 */
export function CellLink({ href, children }: { href: string; children: ComponentChildren }) {
  const get = useContext(PageContext)?.observatory.server.value?.get;
  const [name, setName] = useState<string>();
  useEffect(() => {
    const route = parseRoute(href);
    setName(undefined);
    if (!get || route.view !== "notebooks" || !route.notebook || !route.cell) return;
    let isShown = true;
    void readCellName(get, route.notebook, route.cell).then((found) => isShown && setName(found));
    return () => {
      isShown = false;
    };
  }, [get, href]);
  return (
    <a href={href} title={href}>
      {name === undefined ? (
        children
      ) : (
        <span class="mono">
          <PlainText text={name} />
        </span>
      )}
    </a>
  );
}
