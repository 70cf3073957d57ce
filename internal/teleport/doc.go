// Package teleport moves one session from one machine to another: a code of six words to tell the
// other person, keys derived from the code, and a bundle sealed with them by age.
//
// It defines the content of a bundle and validates it: names are checked, lengths are bounded, and
// results count only after the whole bundle was read. It opens no files and knows no repository and no
// network. docs/teleport.md describes the format and what it protects against.
package teleport
