import type { Migration } from "./migration.ts";

const isOutdated = `mid IN (SELECT mid FROM graph_merges WHERE published = 1) AND key = NEW.key AND bid = NEW.bid
  AND doc = NEW.doc`;

/**
 * The keys that a large merge settles, staged with its versions. Once the merge is published, these rows take
 * precedence over those in `graph_settled`, and move there one by one. If the merge is discarded, its rows
 * are deleted.
 */
export const settledAhead: Migration = {
  leaves: "0ea572459c6ae2513cde8b06f19ee5be01956c1be3df82e6ddf4b3e354884b43",
  apply: (db) =>
    db.exec(`
      CREATE TABLE graph_settled_ahead (
        mid INTEGER NOT NULL,
        key TEXT NOT NULL,
        wid INTEGER NOT NULL,
        bid INTEGER NOT NULL,
        doc INTEGER NOT NULL,
        seq INTEGER,
        PRIMARY KEY (mid, key)
      ) WITHOUT ROWID;
      CREATE TRIGGER settled_anew AFTER INSERT ON graph_settled BEGIN
        DELETE FROM graph_settled_ahead WHERE ${isOutdated};
      END;
      CREATE TRIGGER settled_again AFTER UPDATE ON graph_settled BEGIN
        DELETE FROM graph_settled_ahead WHERE ${isOutdated};
      END;
      CREATE TRIGGER settled_keys_give_way BEFORE DELETE ON graph_merges WHEN OLD.published = 0 BEGIN
        DELETE FROM graph_settled_ahead WHERE mid = OLD.mid;
      END;
    `),
};
