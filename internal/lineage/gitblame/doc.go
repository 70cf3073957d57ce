// Package gitblame says which commit brought each line of a file, as git's blame does.
//
// A Blamer runs git, reads its output and keeps the answers in a cache, so that the same question costs no process
// the second time. A Line is a line with its Commit; a Span is a range of lines. An empty revision stands for the
// worktree.
//
// It guarantees that an answer from the cache is the one that git would give: what git's answer depends on is part of
// the key, and where the history has grafts or an edge, nothing is kept. The cache's files may be deleted at any time;
// they hold no content of files. The package does not know who wrote a line: package lineage
// does.
package gitblame
