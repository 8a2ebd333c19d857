/** Sent at the start of a connection; clients cut it at 2,048 characters. */
export const instructions = `Thoughtbox keeps your reasoning: durable, numbered, forkable, searchable.

1. thoughtbox_gateway {operation:"start_new", sessionTitle:"…"} → keep sessionId, pass it in every call.
2. {operation:"cipher", sessionId} → the short notation; opens thought.
3. {operation:"thought", sessionId, thought:"…"} → one step at a time; numbers itself.

Fork instead of overwriting: {branchFromThought: 3, branchId: "redis"}. Correct instead of contradicting: {revisesThought: 3}.
Read back: read_thoughts {last: 5}, get_structure. Find: {operation:"session", subOperation:"search", query:"…"}. Resume: load_context {sessionId} or {latest: true}.
Finish with nextThoughtNeeded:false. Errors carry recovery: the next call to make. help {topic} explains any operation.`;
