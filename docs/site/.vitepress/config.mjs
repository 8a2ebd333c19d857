// The documentation site is the repository's own Markdown. The README is its front page, and the list of pages at the end
// of the README is its sidebar, so no page is listed twice.
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const read = (path) => readFileSync(join(root, path), "utf8");

/** The address of a page: each README is the index of its folder. */
const address = (path) => `/${path.replace(/README\.md$/, "").replace(/\.md$/, "")}`;

/** `- **Learn:** [why](docs/guide/why.md) · …` becomes a group of the sidebar. Links to other files are left out. */
function groupsOfReadme() {
  const [, list = ""] = read("README.md").split("\n## Documentation\n");
  const groups = list.split(/^- \*\*/m).slice(1);
  if (groups.length === 0) throw new Error("README.md has no list under “Documentation”.");
  return groups.map((group) => ({
    text: group.slice(0, group.indexOf(":")),
    items: linksIn(group, "").map(({ text, link }) => ({ text: text[0].toUpperCase() + text.slice(1), link })),
  }));
}

/** Each section of the reference's index is a group. */
function groupsOfReference() {
  const sections = read("docs/reference/README.md").split("\n## ").slice(1);
  const groups = sections.map((section) => ({
    text: section.slice(0, section.indexOf("\n")),
    collapsed: true,
    items: linksIn(section, "docs/reference"),
  }));
  return groups.filter(({ items }) => items.length > 0);
}

function linksIn(markdown, folder) {
  const links = [...markdown.matchAll(/\[`?([^\]`]+)`?\]\(([^)]+\.md)\)/g)];
  return links.map(([, text, path]) => ({ text, link: address(posix.join(folder, path)) }));
}

/** Pages are plain Markdown: what looks like HTML or a Vue expression is text, and comments are for our tests. */
function readAsPlainMarkdown(markdown) {
  markdown.core.ruler.before("normalize", "drop-comments", (state) => {
    state.src = state.src.replace(/^<!--[^]*?-->$/gm, "");
  });
  const { text } = markdown.renderer.rules;
  markdown.renderer.rules.text = (...args) => text(...args).replaceAll("{{", "&#123;&#123;");
}

/** Blocks in our notation are marked `cipher`. They need no colours. */
const cipher = { name: "cipher", scopeName: "source.cipher", patterns: [], repository: {} };

export default defineConfig({
  title: "Thoughtbox",
  description: "The reasoning of your coding agents, saved.",
  srcDir: "../..",
  outDir: "dist",
  cacheDir: "../../.cache/site",
  srcExclude: [
    "{editors,sandbox,tests,src,ui,.github,coverage,dist}/**",
    "{content,plugin}/*/**",
    "bench/!(results)/**",
    "bench/*.md",
    "AGENTS.md",
  ],
  rewrites: (path) => path.replace(/README\.md$/, "index.md"),
  head: [["link", { rel: "icon", href: "data:," }]],
  // The license is a file of the repository, not a page.
  ignoreDeadLinks: [/\/?LICENSE$/],
  markdown: { html: false, config: readAsPlainMarkdown, languages: [cipher] },
  // The index for the local search is one chunk. The browser loads it at the first search.
  vite: { build: { chunkSizeWarningLimit: 5_000 } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/docs/guide/getting-started" },
      { text: "Reference", link: "/docs/reference/" },
      { text: "Decisions", link: "/docs/decisions/" },
    ],
    sidebar: { "/docs/reference/": groupsOfReference(), "/": groupsOfReadme() },
  },
});
