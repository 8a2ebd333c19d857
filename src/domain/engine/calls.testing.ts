import type { Calls } from "./findings.ts";

export const plainCalls: Calls = {
  openCard: (id) => ({ operation: "openCard", args: { id } }),
  playbook: (name) => ({ operation: "playbook", args: { name } }),
  publish: (id) => ({ operation: "publish", args: { id } }),
  addCard: (card, edges) => ({ operation: "addCard", args: { card, ...edges } }),
};
