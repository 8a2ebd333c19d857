const tables = /(?<!DELETE )\b(FROM|JOIN) ((?:memory|graph|task|workspace)_\w+)(?=(\s+\w+)?)/g;
const keywords = new Set("WHERE ON ORDER LIMIT GROUP JOIN LEFT CROSS UNION SET AND".split(" "));

/**
 * SQL that all stores share uses plain table names. Replaces each with the tenant's part of the table, and adds the
 * table's name as its alias if it has none.
 */
export const ofTenant = (text: string): string =>
  text
    .replace(tables, (_, word, table, next = "") => {
      const isNamed = next !== "" && !keywords.has(next.trim());
      return `${word} {${table}}${isNamed ? "" : ` ${table}`}`;
    })
    .replace(/^DELETE FROM (\w+) WHERE /, "DELETE FROM $1 WHERE tenant = @tenant AND ");
