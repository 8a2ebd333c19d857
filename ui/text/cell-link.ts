/** Links to cells are parsed by the same code as on the server. */
export { type CellLink, cellLink, findCellLink } from "../../src/domain/notebook/cell-link.ts";
