// Package serve is the hub as a server: what it listens to, what it counts and how it ends.
//
// A [Hub] is everything that one replica has: the index, the runner that keeps it up to date, the door and the pages. New
// makes it of a configuration, Serve answers until its context ends. Replicas share the database and nothing else.
//
// It guarantees that
//   - /readyz says yes only while the database answers, and no from the moment the hub is told to end;
//   - requests that are being answered are finished, and a repository that is being read is left whole;
//   - a webhook without the right signature makes nothing happen.
package serve
