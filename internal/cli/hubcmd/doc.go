// Package hubcmd has the commands below hub, which serve the checkpoints of many repositories.
//
// The hub is a program of its own, entire-hub, because its libraries (PostgreSQL, OpenID Connect, Prometheus, Parquet) would
// make each start of `entire` slower, hooks too. [Register] adds the commands to `entire`, where each becomes that program;
// [Command] is the same tree with actions, which entire-hub uses. Both have the same options and the same help.
package hubcmd
