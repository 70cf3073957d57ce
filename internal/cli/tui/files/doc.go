// Package files is the panel with the files: the owner of each line and why it is as it is, and the
// states of a file or of all files. A person can compare two states.
//
// [Files] has three parts: the list of paths, the text with its owners or the states, and the reason of the line under the
// cursor. It asks facts.Source through a pane.Asker, draws what has come, and changes nothing in the repository.
package files
