// Package files is the panel with the files: the owner of each line and why it is as it is, and the
// states of a file or of all files. A person can compare two states.
package files
