import { toCsv } from "../../text/csv.ts";
import { saveFile } from "./save-file.ts";

type Props = { name: string; rows: () => readonly Record<string, unknown>[] };

/** Shows buttons that save a list as a file: CSV for spreadsheets, JSON for programs. */
export const SaveList = ({ name, rows }: Props) => (
  <>
    <button
      type="button"
      class="btn save"
      onClick={() => saveFile(new Blob([toCsv(rows())], { type: "text/csv" }), `${name}.csv`)}
    >
      CSV
    </button>
    <button
      type="button"
      class="btn save"
      onClick={() =>
        saveFile(new Blob([JSON.stringify(rows(), null, 2)], { type: "application/json" }), `${name}.json`)
      }
    >
      JSON
    </button>
  </>
);
