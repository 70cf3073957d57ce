// Package githead tells where HEAD is and has been, and which git operation is in progress. It reads
// git's files and writes only our own choice for a commit that git is about to make.
package githead
