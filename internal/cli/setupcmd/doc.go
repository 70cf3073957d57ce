// Package setupcmd has the commands that begin and end the use of Entire: enable, disable (with
// --uninstall), push, which agrees on the remotes that sessions may go to, and demo.
//
// Setting up writes `.entire/settings.json`, the hooks of git and the hooks in an agent's settings
// file; in a folder outside git only the last. A destination is a remote that a person agreed to.
//
// It guarantees that what it writes into files of others can be taken out again, and that no
// conversation leaves this machine for a remote that nobody agreed to.
package setupcmd
