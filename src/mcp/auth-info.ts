import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Admitted } from "../http/admission/admission.ts";
import type { Caller } from "../operations/pipeline/caller.ts";

/** What whoever was let in may do. */
type Rights = Required<Pick<Caller, "mayRunCells" | "hasToken">>;

type AdmittedInfo = AuthInfo & { extra: { rights: Rights } };

/** How somebody was let in, in the form that the SDK carries from a request to the handler of its message. */
export const toAuthInfo = ({ principal, mayRunCells, how }: Admitted): AdmittedInfo => ({
  token: "",
  clientId: principal,
  scopes: [],
  extra: { rights: { mayRunCells, hasToken: how === "token" } },
});

/** The rights that `toAuthInfo` wrote down; whoever carries none has none. */
export const rightsIn = (info: AuthInfo | undefined): Rights =>
  (info as AdmittedInfo | undefined)?.extra?.rights ?? { mayRunCells: false, hasToken: false };
