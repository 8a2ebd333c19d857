import type { Remark, StoredRemark } from "../../ports/actions.ts";
import { decodeAddress, toColumn } from "./ledger-rows.ts";
import type { Row } from "./row.ts";

/** The columns of `remarks` after `seq` and `sid`, in the order of `remarkColumns`. */
export const remarkColumnNames = "id, kind, branch_id, number, text, withdraws, at";

export const remarkColumns = ({ id, kind, branchId, thoughtNumber, text, withdraws, at }: Remark) =>
  [id, kind, toColumn(branchId), thoughtNumber, text ?? null, withdraws ?? null, at] as const;

export function decodeRemark(row: Row): StoredRemark {
  const address = decodeAddress(row["branch_id"], row["number"]);
  return {
    seq: Number(row["seq"]),
    remark: {
      id: String(row["id"]),
      kind: String(row["kind"]) as Remark["kind"],
      thoughtNumber: Number(address?.thoughtNumber),
      ...(address?.branchId !== undefined && { branchId: address.branchId }),
      ...(row["text"] != null && { text: String(row["text"]) }),
      ...(row["withdraws"] != null && { withdraws: String(row["withdraws"]) }),
      at: String(row["at"]),
    },
  };
}
