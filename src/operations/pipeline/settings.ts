import type { SecretsPolicy } from "../../kernel/secrets/secrets-policy.ts";

/** What the operator decided; see `config.ts` for where it comes from. */
export type Settings = {
  version: string;
  project: string;
  projectLock: boolean;
  staged: boolean;
  secrets: SecretsPolicy;
  autoCreateSession: boolean;
  reasoningSessionId?: string | undefined;
  partitionGranularity: "monthly" | "weekly" | "daily" | "none";
  /** Whether a finished session is written to the exports directory by itself. */
  autoExport: boolean;
  /** Whether answers to thoughts may suggest fields to use. */
  suggestions: boolean;
  /** The workspace of calls that name none; by default named after the caller's project. */
  workspace?: string | undefined;
  workspaceLock: boolean;
  workspaceAllow: readonly string[];
  projectGuard?: string | undefined;
  agentId?: string | undefined;
  /** The directory of the store, or `:memory:`. */
  storageDir: string;
};

type ProjectLock = Pick<Settings, "project" | "projectLock">;

/** The one project that a locked server knows; `undefined` without a lock. */
export const onlyProject = ({ project, projectLock }: ProjectLock): string | undefined =>
  projectLock ? project : undefined;

/** With a project lock, whatever belongs to another project does not exist. */
export const isReachable = (lock: ProjectLock, project: string): boolean =>
  (onlyProject(lock) ?? project) === project;
