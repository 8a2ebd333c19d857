/**
 * The thought that each branch forks from. A bare number is a thought on the main line, and `branch number` is one on a
 * branch.
 */
export const forks: Readonly<Record<string, string>> = {
  "slow-query": "6",
  "lock-wait": "11",
  vacuum: "lock-wait 14",
  "split-job": "24",
};

export const critiques: Readonly<Record<string, string>> = {
  "14": "The staging copy starts with few dead rows, production with 7.9 million. Batches keep *new* dead rows from piling up. Who removes the existing ones, and how long does that take?",
  "25": "Sound. One thing to watch: a swap drops the table’s grants unless you grant them again. Check that the shop’s user can still read the table after the swap.",
};

/**
 * Name, type, seconds since the previous line, links and text. `^` marks a link to a replaced thought, and `!` one to a
 * rejected thought. Other links name thoughts that this one builds on.
 */
export const lines = `
1 | O | 0 |  | The nightly report reached customers at 09:40 on Monday. It should arrive by 07:00.
2 | Q | 24 | 1 | Since when is it late, and is it late every day?
3 | E | 41 | 2 | Arrival times over 30 days: 06:50 until Thursday, then 08:10, 08:55, 09:20, 09:40. Later every day.
4 | O | 33 | 3 | Friday’s release moved the report to the new database and added the returns table.
5 | P | 19 | 3, 4 | 1. Find which step got slower  2. Explain why it grows  3. Fix it before Wednesday’s month-end run
6 | E | 58 | 5 | Step times on Monday: extract 12 min, **join 148 min**, render 6 min, send 4 min.
slow-query 7 | H | 27 | 6, 4 | The join has no index on returns.order_id, so it reads the whole table for every order.
slow-query 8 | E | 46 | slow-query 7 | The plan shows an index scan on returns_order_idx. The index exists and is used.
slow-query 9 | E | 38 | slow-query 7 | The same join alone, at noon: 9 minutes ⊖ [S7]
slow-query 10 | X | 14 | !slow-query 7 | Not the query: by itself it is fast. Something around it makes it wait.
7 | O | 30 | 6 | From slow-query: 9 minutes at noon, 148 at night. The same query on the same data.
8 | Q | 16 | 7 | What else runs at 04:00?
9 | E | 52 | 8 | Two jobs overlap with the join: backup, 03:50 to 04:20, and the new price import, 04:05 to 07:30.
10 | A | 12 | 9 | The backup reads from the replica, so it does not touch the join.
11 | H | 21 | 9, 10 | The price import holds locks that the join waits for.
lock-wait 12 | O | 35 | 11 | The import writes in one transaction, 1.2 million rows, about three hours.
lock-wait 13 | E | 64 | lock-wait 12 | Monday’s lock log: the join waited 3 seconds in total.
lock-wait 14 | Q | 18 | lock-wait 13 | Three seconds is not two hours. If it does not wait, what does it do?
vacuum 15 | H | 22 | lock-wait 14, lock-wait 12 | The long transaction keeps vacuum from removing dead rows, so every scan reads more of them.
vacuum 16 | E | 71 | vacuum 15 | Dead rows in prices: 0.4 million on Friday, 7.9 million on Monday.
lock-wait 15 | R | 29 | ^11, lock-wait 13 | It is not locks. The import makes the join read old row versions: the same trigger, a different mechanism.
vacuum 17 | E | 83 | vacuum 16 | After a manual vacuum on a copy, the join at 04:00 takes 11 minutes. Without it, 151.
vacuum 18 | C | 26 | vacuum 16, vacuum 17 | ∴ Dead rows pile up during the import, and the join reads all of them.
12 | P | 34 | 11 | Repeat it on staging: import and join together, with and without vacuum.
13 | E | 127 | 12 | Together: 139 min. Import in batches of 5,000 rows: 13 min. Both runs on the same copy.
14 | C | 31 | 13 | ∴ Cause: one long transaction of the price import.
15 | Q | 20 | 14 | How many dead rows are there now, and will autovacuum catch up by Wednesday?
16 | E | 49 | 15 | 7.9 million, and autovacuum is cancelled every night: its lock timeout is 2 s while the import runs.
17 | R | 28 | ^14, 14, 16 | Two causes, not one: a long transaction makes dead rows, and a cancelled autovacuum never removes them.
18 | H | 24 | 17 | Batches of 5,000 rows plus one manual vacuum bring the report back to 07:00.
19 | A | 11 | 18 | No one reads half-imported prices before 07:30.
20 | E | 43 | 19 | The shop reads prices at any hour. With batches, a page could show old and new prices at once.
21 | X | 17 | !19, !18 | Batches straight into the live table are out.
22 | H | 26 | 21, 17 | Import into a side table in batches, then swap both tables in one short transaction.
23 | E | 95 | 22 | Staging with the side table: import 44 min, swap 80 ms, join 10 min, no reader saw a mix.
24 | Q | 15 | 23 | Should the report also stop depending on when the import runs?
split-job 25 | H | 32 | 24 | Start the report when the import reports that it is done, instead of at 04:00.
split-job 26 | E | 45 | split-job 25 | The scheduler has no way for one job to wait for another. The upgrade that adds one is planned for spring.
split-job 27 | P | 19 | split-job 26 | Parked until the upgrade. The scheduler’s owner has a note about it.
25 | C | 36 | 17, 23 | ∴ Import into a side table and swap; vacuum once by hand tonight.
26 | E | 57 | 25 | Grants checked: they are lost with the swap. \`GRANT SELECT\` is now part of the same transaction.
27 | P | 28 | 25, 26 | 1. Vacuum tonight at 22:00  2. Side table and swap on Tuesday  3. Alarm if the report is not sent by 07:15
`;
