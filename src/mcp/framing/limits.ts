/** The size of one JSON-RPC message, whatever carries it. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** Objects and arrays inside one another; the message itself is the first. */
export const maxJsonDepth = 64;
