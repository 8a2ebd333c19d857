const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** How many members the objects of a JSON text have together, and how deep it is nested; measured without parsing it. */
export function measureJson(json: Uint8Array): { members: number; depth: number } {
  let members = 0;
  let depth = 0;
  let open = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) inString = !inString;
    else if (byte === backslash) at += 1;
    else if (inString) continue;
    else if (byte === colon) members += 1;
    else if (byte === openList || byte === openObject) {
      open += 1;
      if (open > depth) depth = open;
    } else if (byte === closeList || byte === closeObject) open -= 1;
  }
  return { members, depth };
}
