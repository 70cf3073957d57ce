// Package usagecmd has the commands usage, which says what sessions used and cost, and recap, which says what
// was asked, done and left open.
//
// It prints what package usagelib has found, as text, JSON, CSV or Markdown.
package usagecmd
