// Package settings reads the configuration file of the hub.
//
// A [Hub] names the repositories, who may read which of them, and the teams. It holds no secret: passwords, webhook secrets
// and the database's address are in environment variables that the file names, tokens are there as their SHA-256.
// Read refuses a file with an unknown member, so that a misspelt limit is not silently none.
package settings
