// Command dist makes what a release consists of: archives, .deb and .rpm packages with man pages and completions,
// lists of the modules in the programs with the texts of their licences, a Homebrew formula, a Scoop manifest, a Nix
// flake, an install script, a Dockerfile, a container image, a release manifest, checksums and, with a key, their
// signature.
//
// The same commit gives the same bytes: times are the commit's, owners are root, lists are sorted, and paths of the
// folder do not appear. `make dist-check` proves it by building twice in different folders with different caches.
//
// It is a tool for developers (`make dist`) and is not linked into the program.
package main
