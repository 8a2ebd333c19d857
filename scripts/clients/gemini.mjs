// Gemini CLI, and the API that it uses.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readObject } from "./scripted-model.mjs";

const prefix = "mcp_thoughtbox_";

const dialect = {
  serves: ({ method, url }) => method === "POST" && /:(?:streamG|g)enerateContent/.test(url),

  read({ tools = [], contents = [] }) {
    const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
    const parts = contents.flatMap(({ parts: given = [] }) => given);
    return {
      isWork: declared.length > 0,
      tools: declared
        .filter(({ name }) => name.startsWith(prefix))
        .map((tool) => ({
          name: tool.name.slice(prefix.length),
          call: { name: tool.name },
          bytes: Buffer.byteLength(JSON.stringify(tool)),
        })),
      results: parts
        .filter(({ functionResponse }) => functionResponse)
        .map(({ functionResponse: { response } }) =>
          readObject(typeof response.output === "string" ? response.output : JSON.stringify(response)),
        ),
    };
  },

  write(response, { say, think, call, args }) {
    const parts = [
      ...(think ? [{ text: think, thought: true }] : []),
      ...(say ? [{ text: say }] : []),
      ...(call ? [{ functionCall: { name: call.name, args } }] : []),
    ];
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const candidate = { content: { role: "model", parts }, finishReason: "STOP", index: 0 };
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.end(`data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\r\n\r\n`);
  },
};

export const gemini = {
  name: "Gemini CLI",
  program: "gemini",
  dialect,
  prepare({ folder, modelUrl, stdio, url }) {
    const home = join(folder, ".gemini");
    mkdirSync(home, { recursive: true });
    const server = stdio ?? (url && { httpUrl: url });
    const settings = {
      mcpServers: { ...(server && { thoughtbox: { ...server, trust: true } }) },
      security: { auth: { selectedType: "gemini-api-key" } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
    };
    writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
    return {
      args: ["--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", "Look into the slow build."],
      env: { HOME: folder, GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: modelUrl },
    };
  },
};
