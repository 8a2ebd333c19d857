import { expect, test } from "vitest";
import { catalogue } from "../../src/operations/catalogue.ts";
import type { Args, Operation } from "../../src/operations/pipeline/operation.ts";
import { createBareApp } from "../support/bare-app.ts";
import { hostileTexts } from "../support/processor-time/hostile-texts.ts";
import { expectShortPieces, type Piece, takeLongest } from "../support/processor-time/longest-piece.ts";
import { freeFields, swell } from "../support/processor-time/swell.ts";
import { reportSoak, times } from "../support/run/soak.ts";
import { fillIn, situations } from "../support/situations.ts";

type Use = { operation: Operation; input: Args };

/** Cells are users' programs and run in separate processes. */
const runsCells = new Set(["notebook.run_cell", "notebook.run_all", "notebook.install_deps"]);
/** Returns a short text. Fields that accept this text take free text. Other fields take only names. */
const shortText = (length: number) => "error ".repeat(20).slice(0, length);
const order = ["write", "read", "destroy"];

/** Every example in the catalogue by its situation. Writes come before reads. */
const uses = new Map<string, Use[]>();
for (const operation of catalogue.filter(({ name }) => !runsCells.has(name)))
  for (const { given = "nothing yet", input } of operation.examples)
    uses.set(given, [...(uses.get(given) ?? []), { operation, input }]);
for (const list of uses.values())
  list.sort((one, other) => order.indexOf(one.operation.effect) - order.indexOf(other.operation.effect));

/** As an early warning, the gate measures the situation that most examples start from. The soak measures all. */
const measured = [...uses]
  .sort(([, one], [, other]) => other.length - one.length)
  .slice(0, times("processor time", 1));

// No call and no stored text may block the process for more than 200 ms of processor time.
test.each(measured)(
  "in %s, no text in any field of any operation blocks the process",
  async (given, list) => {
    const app = createBareApp();
    const situation = (await situations[given]?.(app as never)) ?? { client: app.modern() };
    const pieces: Piece[] = [];
    let taken = 0;
    for (const { operation, input } of list) {
      const args = fillIn(input, situation);
      const send = async (more: Args) => {
        const reply = await situation.client.reply(operation.name, more, situation.call);
        expect(reply, operation.name).not.toMatchObject({ error: { code: "INTERNAL_ERROR" } });
        if (reply.kind === "result") taken += 1;
        return reply;
      };
      const fields: string[] = [];
      for (const field of freeFields(operation))
        if ((await send(swell(operation, args, [field], shortText))).kind === "result") fields.push(field);
      for (const [name, write] of Object.entries(fields.length > 0 ? hostileTexts : { nothing: shortText })) {
        const swollen = swell(operation, args, fields, write);
        const what = `${operation.name} with ${name} in ${fields.join(", ")}`;
        pieces.push(await takeLongest(what, () => send(swollen)));
      }
    }
    expect(taken).toBeGreaterThan(0);
    expectShortPieces(pieces);
    const longest = Math.max(...pieces.map(({ ms }) => ms));
    reportSoak(
      `processor time, ${given}`,
      `${pieces.length} calls, none held up others for more than ${longest} ms`,
    );
  },
  180_000,
);
