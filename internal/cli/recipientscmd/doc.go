// Package recipientscmd has the command `entire recipients`: who can read what is stored of
// conversations, where a project encrypts it. It changes the project's settings and the wrapped
// data keys on the metadata branch; package vault seals and opens.
package recipientscmd
