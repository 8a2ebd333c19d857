import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { mentalModelsListModels } from "../operations/ledger/models/mental-models.ts";
import type { Content } from "../ports/content.ts";
import type { AskLedger } from "./ask-ledger.ts";
import { templates } from "./resource-templates.ts";

/** Marks stored text, for clients that treat it differently from the server's own text. */
export const provenance = { "thoughtbox/provenance": "stored-text" };

type Page = Resource & { file: string };

const markdown = "text/markdown";
const page = (name: string, title: string, description: string, file: string): Page => ({
  uri: `thoughtbox://${name}`,
  name,
  title,
  description,
  mimeType: markdown,
  file,
});

const pages: readonly Page[] = [
  page("init", "Getting started", "How to start, branch, revise, read back and resume.", "guides/init.md"),
  page(
    "architecture",
    "Architecture",
    "How Thoughtbox is built and what it promises.",
    "guides/architecture.md",
  ),
  page("cipher", "Cipher", "The compact notation for reasoning steps.", "cipher.md"),
  page(
    "patterns-cookbook",
    "Patterns cookbook",
    "Six ways to reason, with the exact fields.",
    "guides/patterns-cookbook.md",
  ),
  page(
    "session-analysis-guide",
    "Session analysis",
    "What each figure means and how it is computed.",
    "guides/session-analysis-guide.md",
  ),
];

const modelDirectory: Resource = {
  uri: "thoughtbox://mental-models",
  name: "mental-models",
  title: "Mental models",
  description: "The fifteen models by tag, each with its address.",
  mimeType: "application/json",
};

export function listResources(): Resource[] {
  return [...pages.map(({ file: _file, ...resource }) => resource), modelDirectory];
}

export function listResourceTemplates(): ResourceTemplateType[] {
  return templates.map(
    ({ pattern: _pattern, read: _read, complete: _complete, isFollowed: _followed, ...template }) => template,
  );
}

/** Refuses a subscription that would never fire, because the resource does not exist or never changes. */
export async function requireFollowed(ask: AskLedger, uri: string): Promise<void> {
  const isFixed = [...pages, modelDirectory].some((resource) => resource.uri === uri);
  const template = templates.find(({ pattern }) => pattern.test(uri));
  if (isFixed || (template && !template.isFollowed))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There are no updates for ${uri}. Subscribe to a session, its structure or one of its thoughts.`,
    );
  const { sessionId, ...address } = template?.pattern.exec(uri)?.groups ?? {};
  const operation = address["thoughtNumber"] === undefined ? "get_structure" : "read_thoughts";
  const isThere = sessionId !== undefined && (await ask(operation, { sessionId, ...address }));
  if (!isThere) throw new ResourceNotFoundError(uri);
}

/** Reads a built-in page, or what a template reads through `perform`. Readable at any stage. */
export async function readResource(
  content: Content,
  ask: AskLedger,
  uri: string,
): Promise<ReadResourceResult> {
  const found = pages.find((candidate) => candidate.uri === uri);
  if (found) return { contents: [{ uri, mimeType: markdown, text: await content.read(found.file) }] };
  if (uri === modelDirectory.uri)
    return { contents: [{ uri, mimeType: "application/json", text: await modelIndex(ask) }] };
  for (const { pattern, mimeType, read } of templates) {
    const groups = pattern.exec(uri)?.groups;
    const text = groups && (await read(ask, groups));
    if (text !== undefined)
      return { contents: [{ uri, mimeType: mimeType ?? markdown, text, _meta: provenance }] };
  }
  throw new ResourceNotFoundError(uri);
}

async function modelIndex(ask: AskLedger): Promise<string> {
  const listed = await ask<typeof mentalModelsListModels>("mental_models.list_models", {});
  const withAddress = (listed?.models ?? []).map((model) => ({
    ...model,
    uri: `thoughtbox://mental-models/${model.tags[0]}/${model.name}`,
  }));
  return JSON.stringify({ models: withAddress, count: withAddress.length });
}
