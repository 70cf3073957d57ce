// Package staging carries a whole session out of a store and into one.
//
// A [Folder] is everything that is stored of a session, opened for reading under its lock. A
// [Staging] receives such files from elsewhere in a folder that no listing shows. [Staging.Check]
// says whether they make up a complete session; [Staging.Compare] says how it relates to the stored
// one of the same ID; [Staging.Keep] and [Staging.Replace] make it a session of the store.
//
// Names are checked, so that no file leaves the folder. Replace moves the old session to the trash
// and restores it if the new one cannot be put in place.
package staging
