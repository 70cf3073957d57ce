// Package past is the panel with the timeline: the points of the past with a lane for each session,
// and beside them what was asked, said and changed at the point under the cursor, and what going
// back there would do.
//
// It keeps only pages of points around those in view, and reads the point under the cursor once the
// cursor has come to rest.
package past
