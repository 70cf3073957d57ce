// Package object is git's objects as bytes: their IDs, the forms of trees and commits, and
// the files they are stored in.
//
// An [OID] names an object by the hash of its content, SHA-1 or SHA-256. [ParseTree] and
// [ParseCommit] read what a tree or commit object holds. [Files] reads objects from a
// repository's loose files and packs, without starting git; what it does not understand is
// an error, and the caller then asks git. It checks the hash of each whole object that it
// returns, so a damaged file is never believed.
//
// The package knows no repository, starts no process, and writes no object. Its few
// functions that write ([Writeback], [Flush], [Freshen]) make an object file durable or
// young.
package object
