// Package enginetest drives the engine for tests as people and agents do: real repositories, hooks
// that git runs as processes, transcripts that grow. [World] is one repository with its sessions.
//
// A test package that uses a world in which git runs the hooks needs a TestMain that calls [RunMain].
package enginetest
