// Package prose shows what an agent wrote, which is nearly always Markdown, as lines of the
// terminal program.
//
// It knows the part of Markdown that answers are made of: headings, paragraphs, lists, quotes, code,
// tables, rules, and emphasis, code and links within a line. What it does not know is shown as it was
// typed, so no word is lost. It is pure, and takes time in proportion to the text.
//
// It is not built on a library because every hook of git and of an agent starts the same program: the
// one that was meant for this, glamour, needs 11 milliseconds to initialise, three times what a hook takes.
package prose
