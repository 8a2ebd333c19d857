import { fromBase64 } from "./encoded-runs.ts";
import type { SecretShape } from "./secret-shape.ts";
import { isPlaceholder, looksLikePassword } from "./secret-values.ts";

const named = "(?:password|passphrase|passcode|passwd|api key|access key|secret key|auth token|access token)";
/** Matches words between a name and its secret: `for the db`, `of ada on db-1`. */
const about = " (?:for|of|to|on|in) [^\\n.;:=?!]{1,60}?";

/**
 * Secrets that people type on a command line, paste from a request, or write in a sentence. The surrounding
 * words identify such secrets.
 */
export const typedShapes: readonly SecretShape[] = [
  {
    kind: "command-password",
    pattern: /\bcurl [^\n]{0,200}?(?:-u|--user)[ =]?["']?[^\s:"'$]{1,64}:(?<secret>[^\s"']{3,100})/g,
    mark: "curl ",
    accepts: (password) => !isPlaceholder(password),
    isLoose: true,
  },
  {
    kind: "command-password",
    pattern:
      /\b(?:mysql(?:dump|admin|import)?|mariadb(?:-dump)?) [^\n]{0,200}?(?<= )-p["']?(?<secret>[^\s"'-][^\s"']{2,100})/g,
    mark: "mysql|mariadb",
    accepts: (password) => !isPlaceholder(password),
    isLoose: true,
  },
  {
    kind: "command-password",
    pattern: /\bsshpass[ \t]{1,8}-p[ \t]{0,8}["']?(?<secret>[^\s"']{3,100})/g,
    mark: "sshpass",
    accepts: (password) => !isPlaceholder(password),
    isLoose: true,
  },
  {
    kind: "command-password",
    pattern:
      /(?<=\s)--(?:password|passwd|token|api-key|secret)[ \t]{1,8}["']?(?<secret>[^\s"'$<{-][^\s"']{7,200})/g,
    mark: "--(?:pass|token|api-key|secret)",
    accepts: (password) => !isPlaceholder(password) && looksLikePassword(password),
    isLoose: true,
  },
  {
    kind: "netrc-password",
    pattern: /\blogin\s{1,16}[^\s]{1,100}\s{1,16}password\s{1,16}(?<secret>[^\s]{3,200})/g,
    mark: "login\\s",
    accepts: (password) => !isPlaceholder(password),
    isLoose: true,
  },
  {
    kind: "cookie",
    pattern:
      /\b(?:set-)?cookie["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?<secret>[^\s=;"']{1,64}=[^\r\n"']{8,4000})/gi,
    mark: "cookie",
    accepts: (cookies) =>
      cookies.split(";", 50).some((cookie) => {
        const value = cookie.slice(cookie.indexOf("=") + 1).trim();
        return value.length >= 16 && looksLikePassword(value);
      }),
    isLoose: true,
  },
  {
    kind: "credential",
    pattern: new RegExp(
      `\\b${named}(?:${about}(?: (?:is|was|will be)|[ \\t]{0,4}[:=])| (?:is|was|will be))[ \\t:]{1,8}["'\`]?(?<secret>[^\\s"'\`]{6,100})`,
      "gi",
    ),
    mark: `${named} (?:is|was|will|for|of|to|on|in)`,
    accepts: looksLikePassword,
    isLoose: true,
  },
  {
    kind: "credential",
    pattern: /\b(?:with|using) (?:the |a )?(?:password|passphrase) ["'`]?(?<secret>[^\s"'`]{6,100})/gi,
    mark: "(?:with|using) (?:the |a )?passw?",
    accepts: looksLikePassword,
    isLoose: true,
  },
  {
    kind: "credential",
    pattern:
      /(?<![^\s"'`])(?<secret>[^\s"'`]{6,100})(?=["'`]? (?:is|as) (?:the|your|my|our) (?:[\w-]{1,20} ){0,2}(?:password|passphrase))/gi,
    mark: "(?:is|as) (?:the|your|my|our) ",
    accepts: looksLikePassword,
    isLoose: true,
  },
  {
    // Matches a login for Docker or npm, which is `name:password` in base64.
    kind: "credential",
    pattern:
      /(?:"auth"[ \t]{0,8}:[ \t]{0,8}"|\b_auth[ \t]{0,8}=[ \t]{0,8}"?)(?<secret>[A-Za-z0-9+/]{8,400}={0,2})/g,
    mark: '"auth"|_auth',
    accepts: (login) => /^[!-9;-~]+:[!-~]{3,}$/.test(fromBase64(login)),
    isLoose: true,
  },
];
