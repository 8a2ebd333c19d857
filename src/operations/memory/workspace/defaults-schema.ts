import * as z from "zod";

export const defaultsSchema = z.strictObject({
  branch: z.string(),
  docs: z.strictObject({ notes: z.string(), graph: z.string(), trace: z.string() }),
});
