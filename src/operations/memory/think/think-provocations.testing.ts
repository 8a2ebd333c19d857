import {
  byRef,
  changesByRef,
  given,
  onCards,
  type Provocations,
} from "../../../../tests/catalogue/provoke.ts";

export const provocations: Provocations = {
  think_query: byRef(),
  think_link: { ...changesByRef({ from: "CARD-1", rel: "supports", to: "CARD-2" }) },
  think_set_status: changesByRef({ targets: ["CARD-1"], status: "done" }),
  think_pin: { ...changesByRef({ targets: ["CARD-1"] }), UNKNOWN_ID: onCards({ targets: ["CARD-99"] }) },
  think_pins: byRef(),
  think_publish: { ...changesByRef({ card_id: "CARD-1" }), UNKNOWN_ID: onCards({ card_id: "CARD-99" }) },
  think_nominal_merge: changesByRef({}),
  think_lint: byRef(),
  think_subgoal_open: {
    ...changesByRef({ question_id: "CARD-4" }),
    INVALID_PAYLOAD: onCards({ question_id: "CARD-1" }),
  },
  think_subgoal_close: {
    ...changesByRef({ subgoal_id: "CARD-SUB-CARD-4" }),
    INVALID_PAYLOAD: onCards({ subgoal_id: "CARD-1" }),
    CONFLICT: onSubgoal({ return_card: { id: "CARD-1", title: "Another" } }),
  },
  think_playbook: {},
};

function onSubgoal(args: Record<string, unknown>) {
  return given("a workspace with a subgoal", { subgoal_id: "CARD-SUB-CARD-4", ...args });
}
