// Package config reads and edits .entire/settings.json, which a project
// commits, and .entire/settings.local.json, which a person keeps.
//
// It is not the place for facts about one machine (those live in the git
// common directory) and it takes nothing from the environment.
//
// Reading never changes a file and is lenient: keys it does not know are
// passed over. Editing changes the keys it is told to change in the one file it
// is told to change, and leaves every other byte alone. A file or directory that
// is a symbolic link is refused, because a repository could point it anywhere.
package config
