// Package policy decides whether a change keeps a project's rules about agents' work: how much of it agents may have
// written, in which files their lines need a review, which trailers its commits must or must not have.
//
// [Parse] reads the file with the rules, [Policy.Check] compares a change with them. The package is pure: the owners
// of lines and the messages of commits are passed in as values.
package policy
