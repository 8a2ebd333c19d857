import { type ReadResourceResult, type Resource, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { Content } from "../ports/content.ts";

type Page = Resource & { file: string };

const pages: readonly Page[] = [
  {
    uri: "thoughtbox://init",
    name: "init",
    title: "Getting started",
    description: "How to begin, branch, revise, read back and resume.",
    mimeType: "text/markdown",
    file: "guides/init.md",
  },
  {
    uri: "thoughtbox://cipher",
    name: "cipher",
    title: "Cipher",
    description: "The compact notation for reasoning steps.",
    mimeType: "text/markdown",
    file: "cipher.md",
  },
];

export function listResources(): Resource[] {
  return pages.map(({ file: _file, ...resource }) => resource);
}

export async function readResource(content: Content, uri: string): Promise<ReadResourceResult> {
  const page = pages.find((candidate) => candidate.uri === uri);
  if (!page) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, mimeType: page.mimeType, text: await content.read(page.file) }] };
}
