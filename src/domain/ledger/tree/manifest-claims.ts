import * as z from "zod";
import { parseJsonInSteps } from "../../../kernel/json/parse-in-steps.ts";
import type { Steps } from "../../../kernel/steps.ts";
import { clip } from "../../../kernel/text.ts";
import { domains } from "../../stages/stages.ts";
import { limits } from "../limits.ts";
import { slugProject } from "../project.ts";
import type { Session, SessionState } from "../session.ts";
import { instant } from "./plain-thought.ts";

/** The valid fields of a manifest. Any of these fields may be missing. */
export type ManifestClaims = {
  id?: string;
  title?: string;
  description?: string;
  tags?: string[];
  project?: string;
  status?: "active" | "completed";
  completedAt?: string;
  createdAt?: string;
  updatedAt?: string;
  lastAccessedAt?: string;
  handle?: SessionState;
  head?: string;
};

const handleSchema = z.object({
  stage: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  domain: z.enum(domains).optional(),
  boundRoot: z.string().optional(),
  navigation: z.object({
    project: z.string().optional(),
    task: z.string().optional(),
    aspect: z.string().optional(),
  }),
});

type Fields = Record<string, unknown>;

/** Reads current manifests and the two older formats. Returns `undefined` for any other text. */
export function* readManifest(text: string): Steps<ManifestClaims | undefined> {
  const manifest = yield* parse(text);
  if (!manifest) return undefined;
  const sources = [object(manifest["session"]), object(manifest["metadata"]), manifest];
  const claimed = (name: string): unknown => sources.find((fields) => Object.hasOwn(fields, name))?.[name];
  const handle = handleSchema.safeParse(manifest["handle"]);
  const head = object(manifest["integrity"])["checksum"];
  return defined({
    id: string(claimed("id"), 100),
    title: string(claimed("title"), limits.title) || undefined,
    description: string(claimed("description"), limits.description),
    tags: strings(claimed("tags")),
    project: project(claimed("project")),
    status: (["active", "completed"] as const).find((status) => status === claimed("status")),
    completedAt: instant(claimed("completedAt")),
    createdAt: instant(claimed("createdAt")),
    updatedAt: instant(claimed("updatedAt")),
    lastAccessedAt: instant(claimed("lastAccessedAt")),
    handle: handle.success ? handle.data : undefined,
    head: typeof head === "string" && /^[0-9a-f]{64}$/.test(head) ? head : undefined,
  });
}

function* parse(text: string): Steps<Fields | undefined> {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  const parsed = (yield* parseJsonInSteps(plain, { keys: limits.thoughtNumber }))?.value;
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Fields)
    : undefined;
}

const object = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

/** Returns a string, truncated to the given limit. `undefined` for any other value. */
function string(value: unknown, max: number): string | undefined {
  return typeof value === "string" && !value.includes("\0") ? clip(value, max) : undefined;
}

function project(value: unknown): string | undefined {
  const name = string(value, limits.title)?.trim();
  return name ? slugProject(name) : undefined;
}

/** Returns a list of tags. Allows more than callers may pass, because navigation adds its own. */
function strings(value: unknown): Session["tags"] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item) => string(item, limits.tag) || []).slice(0, limits.tags * 2);
}

function defined<Shape extends object>(fields: { [Key in keyof Shape]: Shape[Key] | undefined }): Shape {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Shape;
}
