// Package patch reads a patch that git printed, for display: files, hunks and lines, which lines of a
// hunk belong side by side, which words of two such lines differ, and the colours of their text.
//
//	files, err := patch.Parse(text)
//	for _, pair := range files[0].Hunks[0].Pairs() { … }
//
// It also applies chosen hunks to the content of a file, or reverses them.
//
// The package is pure: it runs no git and reads no file. It shows nothing: text stays as it is in the
// patch, so whoever shows it makes it legible. What it does for one line has a bounded cost; a long line
// or a large hunk gets fewer marks and no colours. The lexers are read when the first text is coloured,
// so a program that colours nothing pays nothing for them.
package patch
