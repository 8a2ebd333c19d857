import type { Settings } from "./settings.ts";

type Lock = Pick<Settings, "project" | "projectLock">;

/** The one project that a locked server knows; `undefined` without a lock. */
export const onlyProject = ({ project, projectLock }: Lock): string | undefined =>
  projectLock ? project : undefined;

/** With a project lock, whatever belongs to another project does not exist. */
export const isReachable = (lock: Lock, project: string): boolean =>
  (onlyProject(lock) ?? project) === project;
