import type { Display, RunResult } from "../../../../ports/notebook/cell-runner.ts";
import type { OperationContext } from "../../../pipeline/context.ts";
import { guardText } from "../../../pipeline/secrets.ts";

/** What a cell printed, showed or died of is stored, so it is guarded like what a caller stores; a text a turn. */
export async function guardResult(
  context: OperationContext,
  filename: string,
  result: RunResult,
): Promise<RunResult> {
  const guard = async (part: string, text: string): Promise<string> => {
    await new Promise(setImmediate);
    return guardText(`${part} of ${filename}`, text, context);
  };
  const { value, error } = result;
  const displays: Display[] = [];
  for (const { mime, data } of result.displays)
    displays.push({ mime, data: mime.startsWith("image/") ? data : await guard("display", data) });
  return {
    ...result,
    output: await guard("output", result.output),
    ...(value !== undefined && { value: await guard("value", value) }),
    ...(error !== undefined && { error: await guard("error", error) }),
    displays,
  };
}
