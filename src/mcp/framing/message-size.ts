/** The size of one JSON-RPC message, whatever carries it. */
export const maxMessageBytes = 4 * 1024 * 1024;
