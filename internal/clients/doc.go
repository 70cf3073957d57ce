//go:build linux

// Package clients runs the real programs of coding agents, headless, against a scripted model (internal/fakemodel), so that
// tests can see what `entire` records of them. versions.json pins the programs; Install brings them from npm into a cache
// folder. A World is a scratch home, a repository and a model; World.Ask runs one turn of a program in it.
//
// The proof is the test with the build tag `clients`: it drives each program through one table of scenarios and writes what
// it saw into docs/agents.md. `make clients` runs it. It needs the npm registry the first time, and Linux: it finds what a
// program leaves running in /proc.
//
// cmd/try runs one turn by hand.
package clients
