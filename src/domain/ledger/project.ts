const projectPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/** The scope of isolation when nobody chose one. */
export const defaultProject = "_default";

/** Any name becomes a project name: other characters turn into dashes, so that it is safe as a folder. */
export function slugProject(name: string): string {
  const slug = name
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9_]+/, "")
    .slice(0, 64)
    .replace(/[-.]+$/, "");
  return projectPattern.test(slug) ? slug : defaultProject;
}
