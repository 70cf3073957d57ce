// Package rows defines the rows of the hub's index: what it knows of checkpoints, their sessions, files and statements.
//
// It is pure: a row is made from what a checkpoint's files say (see [Of]) and from the teams of the configuration, and from
// nothing else, so that an index that was dropped is made again as it was. [Teams] says whose a file or a person is.
package rows
