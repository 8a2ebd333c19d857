// `npm run manifest` writes server.json, which describes the package to directories of MCP servers. All its
// values are taken from package.json, so that the two files cannot differ.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export function serverManifest({ name, mcpName, description, version, repository, homepage }) {
  return {
    ...(mcpName && { name: mcpName }),
    title: "Thoughtbox",
    description: short(description),
    version,
    ...(repository?.url && { repository: { url: repository.url, source: "github" } }),
    ...(homepage && { websiteUrl: homepage }),
    packages: [
      {
        registryType: "npm",
        identifier: name,
        version,
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "stdio" }],
      },
    ],
  };
}

/** Directories accept at most 100 characters. */
function short(description) {
  return description.length <= 100 ? description : description.slice(0, description.lastIndexOf(" ", 99));
}

/** Our own copy of the fields that directories require. */
const required = ["name", "description", "version", "packages"];
const requiredOfPackage = ["registryType", "identifier", "version", "transport"];

export function missingFromManifest(manifest) {
  return [
    ...required.filter((field) => !manifest[field]?.length),
    ...(manifest.packages ?? []).flatMap((one, index) =>
      requiredOfPackage.filter((field) => !one[field]).map((field) => `packages[${index}].${field}`),
    ),
  ];
}

/**
 * Looks for an address in the section of SECURITY.md on how to report a vulnerability. Addresses elsewhere in
 * the page, such as examples, are ignored.
 */
export function hasSecurityContact(securityPage, { bugs } = {}) {
  const [, section = ""] =
    /^## Report a vulnerability\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(securityPage) ?? [];
  const contacts = section.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https:\/\/[^\s)>]+/g) ?? [];
  // The public issue tracker does not count, because vulnerabilities must be reported privately.
  return contacts.some((contact) => contact.replace(/[.,;]$/, "") !== bugs?.url);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const packageJson = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(root, "server.json"), `${JSON.stringify(serverManifest(packageJson), null, 2)}\n`);
}
