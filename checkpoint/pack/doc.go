// Package pack puts the loose objects that our refs reach into packs, as git's own maintenance does for a
// whole repository, but with names, so that the versions of a file become differences.
//
// A turn writes ten loose objects, each compressed by itself: 1,000 turns of 3 MB take 0.7 bytes for each
// byte of the transcript, and 0.2 once they are packed. git packs only when 6,700 objects are loose.
//
// [Due] costs two reads of a directory, so that a hook may ask it after each commit. [Run] takes seconds
// at most and belongs into a process of its own. It creates a pack and then removes the loose objects that
// packs hold, by `git pack-objects` and `git prune-packed`; it removes nothing else, and a kill at any
// instant leaves at most a temporary file that git's next gc removes. Readers find an object in either
// place. `gc.auto=0` and `maintenance.auto=false` say that nobody wants such work, and are obeyed.
package pack
