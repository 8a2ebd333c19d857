import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createNoopServer } from "./noop-server.ts";

serveStdio(createNoopServer);
process.stdin.on("end", () => process.exit());
