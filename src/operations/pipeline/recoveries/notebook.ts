import type { NotebookFacts } from "../../../domain/notebook/failures.ts";
import { quote } from "../../../kernel/text.ts";
import type { WordsFor } from "./words.ts";

const packageJson = {
  hint: 'A package.json cell contains one JSON object, such as {"dependencies": {"zod": "^4.0.0"}}.',
};
const firstLine = {
  hint: 'The first line of a .src.md file must be <!-- srcbook:{"language":"typescript"} -->.',
};

export const notebookWords: WordsFor<NotebookFacts> = {
  unknown_notebook: ({ notebookId }) => ({
    message: `There is no notebook ${quote(notebookId)} in this project.`,
    details: { notebookId },
    recovery: { hint: "List the existing notebooks.", operation: "notebook.list", args: {} },
  }),
  unknown_cell: ({ notebookId, cell, cells }) => ({
    message: `The notebook has no cell ${quote(cell)}.`,
    details: { cells },
    recovery: {
      hint: "notebook.restore_cell restores a deleted cell. This call lists the notebook's cells.",
      operation: "notebook.list_cells",
      args: { notebookId },
    },
  }),
  unknown_cell_version: ({ notebookId, cellId, versions }) => ({
    message: `Cell ${quote(cellId)} has no such version.`,
    details: { versions },
    recovery: {
      hint:
        versions.length > 0
          ? "Pass one of details.versions. This call lists the notebook's cells."
          : "This notebook has never had that cell. This call lists its cells.",
      operation: "notebook.list_cells",
      args: { notebookId },
    },
  }),
  invalid_filename: ({ filename, max }) => ({
    message: `${quote(filename)} cannot be the filename of a cell.`,
    recovery: {
      hint: `Use letters, digits, ".", "-" and "_", at most ${max} characters, without folders, ending in .ts, .mts, .js, .mjs or .cjs. Or leave filename out.`,
    },
  }),
  language_differs: ({ filename, ofName, language }) => ({
    message: `${filename} is a ${ofName} file, but language is ${language}.`,
    recovery: { hint: "Leave language out. The filename determines it." },
  }),
  filename_taken: ({ filename }) => ({
    message: `The notebook already has a cell ${filename}.`,
    recovery: {
      hint:
        filename === "package.json"
          ? "Change the existing cell with notebook.update_cell and cellId package.json."
          : "Choose another filename, or change the existing cell with notebook.update_cell.",
    },
  }),
  cell_has_no_language: ({ type }) => ({
    message: `A ${type} cell has no language.`,
    recovery: { hint: "Leave language out." },
  }),
  cell_has_no_filename: ({ type }) =>
    type === "package.json"
      ? {
          message: "A package.json cell cannot have another filename.",
          recovery: { hint: "Leave filename out." },
        }
      : {
          message: `A ${type} cell has no filename.`,
          recovery: { hint: "Leave filename out, or add a code cell." },
        },
  invalid_title: ({ max }) => ({
    message: `A title must be one line of 1–${max} characters.`,
    recovery: { hint: "Shorten the title, or add a markdown cell for the rest of the text." },
  }),
  two_positions: () => ({
    message: "afterCellId and position cannot be used together.",
    recovery: {
      hint: "Pass only one of them. If you pass neither, the cell is added at the end of the notebook.",
    },
  }),
  no_position: () => ({
    message: "The call has neither afterCellId nor position.",
    recovery: { hint: "Position 0 is the beginning of the notebook." },
  }),
  cell_after_itself: () => ({
    message: "A cell cannot be placed after itself.",
    recovery: { hint: "Pass another cell as afterCellId, or pass a position." },
  }),
  notebook_too_large: ({ counted, max }) => ({
    message: `A notebook cannot contain ${counted === "characters of a cell" ? `a cell with more than ${max} characters` : `more than ${max} ${counted}`}.`,
    recovery: { hint: "Split the content, or continue in a second notebook." },
  }),
  not_a_package: ({ spec }) => ({
    message: `${quote(spec)} is not a registry package with a version.`,
    recovery: {
      hint: "Write packages as name@version or name@range, such as zod@^4.0.0. Thoughtbox never installs from files, folders, links, Git or URLs.",
    },
  }),
  invalid_package_json: ({ problem }) => ({
    message: `The package.json ${problem}.`,
    recovery: packageJson,
  }),
  invalid_package_list: ({ field }) => ({
    message: `${field} in the package.json must be an object that maps names to versions.`,
    recovery: packageJson,
  }),
  not_src_md: () => ({
    message: "This is not a .src.md file. It does not start with a valid srcbook line.",
    recovery: firstLine,
  }),
  unknown_language: ({ languages }) => ({
    message: "The language of the notebook is unknown.",
    details: { languages },
    recovery: firstLine,
  }),
  code_elsewhere: ({ filename }) => ({
    message: `This file only links to ${filename} and does not contain its code.`,
    details: { filename },
    recovery: { hint: "Export the notebook as a single .src.md file that contains the code." },
  }),
  cell_without_end: ({ opening }) => ({
    message: `The cell that starts with ${quote(opening, 80)} is not closed.`,
    recovery: {
      hint: "Close the cell with its closing comment on a separate line, or delete the opening comment.",
    },
  }),
};
