// Package effects tells which files a call of a tool can have written, by what the call
// says alone: it runs nothing and looks at no file.
//
// A pattern that is certain (a redirection's target, what `sed -i` or a formatter is
// given) says: if such a file changed beside the call, the call did it. One that is
// possible (a program that may write anything) says only that the call may have. A file
// that no pattern matches was not written by the call.
package effects
