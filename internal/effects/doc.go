// Package effects determines which files a tool call can have written, from the text of
// the call alone: it runs nothing and opens no file.
//
// A certain pattern (the target of a redirection, an argument of `sed -i` or of a
// formatter) means: if a matching file changed during the call, the call changed it. A
// possible pattern (a program that may write anything) means only that the call may have
// changed the file. The call did not write a file that matches no pattern.
package effects
