// Package hubserver does what the commands below `entire hub` do.
//
// It reads the configuration and the environment, and gives them to the packages below internal/hub. Only the program
// entire-hub links it.
package hubserver
