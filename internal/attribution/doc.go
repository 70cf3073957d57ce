// Package attribution determines who wrote each line of a file, from the versions of the
// file. It is pure: it uses no git, disk or clock.
//
// A [History] begins with the content before a commit. The caller adds each later version
// with its owner. The history then returns the owners of the newest version's lines, and
// compares that version with a commit's parents: every line has exactly one owner, the
// numbers of added and removed lines equal those of `git diff --minimal --numstat`, and
// the owner is unknown where the versions do not show it.
//
// A line keeps its owner when it moves within the file, alone or with its neighbours, when it
// changes only in what formatters change, also where it ends, and when it comes back after it was removed, unless the
// caller knows that it was written anew. A line whose words change gets the owner of the change. Where a
// block of new lines could begin some lines further up or down, it begins where git's diff and
// blame say.
//
// The package produces no diff for people to read, does not follow lines between files,
// and ignores time. The caller must choose one owner for a change that two made.
package attribution
