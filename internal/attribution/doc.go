// Package attribution says who wrote which line of a file, from the versions the
// file went through: pure, without git, disk or clock.
//
// A [History] is begun with the content a commit started from and told each
// later version with its maker. It can then be asked for the lines of the version
// it has come to, and compared with a commit's parents: every line of the file
// has exactly one owner, the lines that count as added and removed are as many
// as `git diff --minimal --numstat` counts, and what cannot be told is unknown
// instead of somebody's.
//
// A line keeps its owner when it moves within the file, alone or with its
// neighbours, when only its white space changes, and when it comes back after
// having been removed. A line whose words change is its changer's.
//
// It is no diff for people to read, knows nothing of moves between files, and
// looks at no time: two makers of one change are one owner, chosen by the caller.
package attribution
