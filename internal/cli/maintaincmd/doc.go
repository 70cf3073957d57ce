// Package maintaincmd has the commands that look after a repository: status, doctor, and below it clean,
// reset, migrate, and what shows the hooks' log: logs, trace, and bundle, which packs it for a report.
//
// A problem is something that status names with the command that solves it. A finding is what doctor
// found broken; --fix repairs it. Orphans are refs and states that belong to no session any more.
//
// It guarantees that status and doctor without --fix change nothing, that clean takes only what no
// session needs, that reset keeps the worktree's files, and that migrate loses no checkpoint.
package maintaincmd
