// Package configcmd has `entire config`: it lists, reads, sets and unsets the settings in package config's table,
// and prints the table as a JSON schema for editors and as a document.
//
// It writes only what the table allows in that file, and it leaves every other byte as it is. What has an effect
// beyond a file, such as switching recording on for all repositories, is left to the command that does it.
package configcmd
