// Package pack puts the loose objects that our refs reach into packs, as git's own maintenance does for a
// whole repository, but with names, so that the versions of a file become differences.
//
// A turn writes ten loose objects, each compressed by itself: 100 turns of a real transcript of 3 MB take 0.7 bytes
// for each of its bytes, and 0.2 once they are packed. git packs only when 6,700 objects are loose.
//
// [Due] reads one directory and the time of one file, so that a hook may ask it after each commit. [Run] takes seconds
// at most and belongs into a process of its own. It creates a pack and then removes the loose objects that
// packs hold, by `git pack-objects` and `git prune-packed`; it removes nothing else, and a kill at any
// instant leaves at most a temporary file that git's next gc removes. Readers find an object in either
// place. `gc.auto=0` and `maintenance.auto=false` say that nobody wants such work, and are obeyed.
package pack
