import { formatRoute } from "../../route.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

/** Shows the direct entries of a folder. The tree beside it opens the same folder and loads the entries. */
export function FolderFiles({ path }: { path: string }) {
  const repository = useObservatory().server.value?.repository;
  const folder = path.replace(/^\/+|\/+$/g, "");
  const rows = repository?.rows() ?? [];
  const own = rows.find((row) => row.isFolder && (row.path === folder || folder.endsWith(`/${row.path}`)));
  const inside = rows.filter((row) => own && row.path.slice(0, -row.name.length - 1) === own.path);
  return (
    <div class="fst">
      <section>
        <h2 class="h">
          In the folder{" "}
          <span class="mono">
            <PlainText text={own?.path ?? folder} />
          </span>
        </h2>
        {inside.map((row) => (
          <div key={row.path} class="rf">
            <Icon name={row.isFolder ? "folder" : "file"} size={14} />
            <a
              class="rfp"
              href={formatRoute({ view: "files", path: row.path, line: undefined })}
              title={row.path}
              data-row
            >
              <PlainText text={row.name} />
            </a>
          </div>
        ))}
        {inside.length === 0 && <p class="dim">Choose a file from the list.</p>}
      </section>
    </div>
  );
}
