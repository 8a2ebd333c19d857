import { withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { CommandFailure } from "../../failure.ts";
import { indented, renderStatement } from "../../rendering/statement.ts";

export const migrate: Command = {
  name: "migrate",
  group: "Care",
  summary: "Update the schema of the store.",
  options: {
    check: {
      describe: "Report the schema without changing it. Exit code 1 means that the schema is out of date.",
    },
    grant: {
      value: "role",
      describe: "Let this PostgreSQL role read and write, for servers that must not change tables.",
    },
  },
  details: [
    "The first command that opens a SQLite store updates its schema. On PostgreSQL, run this with the DATABASE_URL of the tables' owner, before you start servers that connect with another role.",
    "Several processes can run this at the same time. Either all migrations are applied, or none.",
  ],
  examples: [{ line: "thoughtbox migrate --check", shows: "whether an update is needed" }],

  async run({ terminal, flags }) {
    const check = flags.has("check");
    const grant = flags.text("grant");
    const storage = terminal.settings().find(({ key }) => key === "storage")?.value;
    if (grant !== undefined && storage !== "postgres")
      throw new CommandFailure("--grant is for PostgreSQL: other stores have no roles.", {
        next: "Set THOUGHTBOX_STORAGE=postgres and DATABASE_URL, or omit --grant.",
      });
    const {
      from,
      to,
      isMissing = false,
    } = await withStore(terminal, (host) => host.migrate({ check, grant }));
    const isCurrent = from === to || isMissing || !check;
    const said = isMissing
      ? "There is no store yet. The first write creates it."
      : from === to
        ? `Schema ${to} is up to date.`
        : check
          ? `The store has schema ${from} and needs ${to}. Run thoughtbox migrate.`
          : `Schema updated from ${from} to ${to}.`;
    return {
      data: { from, to, isCurrent },
      lines: (context) => [
        ...renderStatement(isCurrent ? "good" : "bad", said, context),
        ...(grant === undefined || check ? [] : indented(`The role ${grant} may read and write.`, context)),
      ],
      failed: !isCurrent,
    };
  },
};
