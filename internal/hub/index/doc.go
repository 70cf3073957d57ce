// Package index keeps the rows of many repositories in PostgreSQL, or in SQLite for a try-out.
//
// An [Index] can be dropped at any time: everything in it is made again from git. The hub writes it as the owner of its
// tables, with Apply; readers come in through [Index.Read] only, which gives them a transaction that sees the repositories
// of its [Scope]. In PostgreSQL that is enforced by row-level security: the transaction has a role that owns nothing, so
// that a query which forgets a condition returns nothing of others. Each query also has the condition.
//
// It guarantees that
//   - what a checkpoint adds to the sums, and its rows, appear and disappear in one transaction;
//   - two replicas that index one repository at once do not both count it: each change names the generation it is based on;
//   - all values of a request are parameters; no text of a request becomes SQL.
package index
