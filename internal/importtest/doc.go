// Package importtest holds the tree's package rules and checks them: who may import whom (rooms, in rules_test.go), which
// room may use which library, that the world (clock, environment, directory) comes in through cmd, how large packages
// and files may be, and that a doc comment begins with the name that it describes.
//
// It is nothing but tests, which read sources and start nothing but go list.
package importtest
