//go:build unix

// Command gitsuite runs scripts of git's own test suite without our hooks and with them, and lists the tests
// whose result differs.
//
// It takes a built source tree of git (source.sh makes one) for the scripts and their tools; the git under test
// is the one on PATH. Each script runs five times: plainly; with our hooks and an idle session, where no commit
// has anything to link; with our hooks and a session that wrote whatever a commit holds, so that it is linked;
// and, as controls of these two, with hooks that do nothing but with our branch, and with a hook of one command
// that adds a trailer. A test that fails in the control, too, lists branches, or compares messages or hashes,
// which differ by design. Every other test that fails only with our hooks is an error of ours.
//
// It is a tool for developers (`make git-suite`) and is not linked into the program.
package main
