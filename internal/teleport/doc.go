// Package teleport is what one session becomes on its way from one machine to
// another: a code of six words that is spoken, keys made of it, and a parcel
// sealed under them with age.
//
// It knows what is in a parcel and what may be: names are checked, lengths bounded,
// and nobody is told anything before all of it was read. It opens no file, knows
// no repository and no network; docs/teleport.md has the format and what it
// protects against.
package teleport
