// Package config reads and edits .entire/settings.json, which a project commits, and
// .entire/settings.local.json, which a person keeps.
//
// Facts about one machine are not stored here but in the git common directory. The package reads
// nothing from the environment.
//
// Reading never changes a file and ignores unknown keys. Editing changes only the given keys in the
// given file and leaves every other byte as it is. A file or directory that is a symbolic link is
// refused, because a repository could point it anywhere.
package config
