// Package back is the sheet that shows what a rewind, an undo or a redo would do, and does it when it
// is told a second time.
//
// A person chooses the scope, files and hunks, and what happens where later changes do not merge. What
// is done is exactly what the preview showed, or nothing.
package back
