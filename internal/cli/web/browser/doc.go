// Package browser shows a page in the browser of the person who uses this machine. It starts the program
// that the system has for that, and does not wait for it.
package browser
