// Package static writes the past of a repository as a folder of pages, which need no server and no script: a site
// that can be shared.
//
// It asks the handler of the pages for the timeline, writes what it answers, and goes on with every page that
// a written page leads to. A link to a page that a folder cannot have, such as a search, is left out.
//
// It guarantees that what it writes has passed the redactor once more, also the lines of files, which are stored as
// they are; that paths below the home directory and the repository are shortened; and that it writes only
// into a folder that is empty or that it has written before.
package static
