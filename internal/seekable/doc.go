// Package seekable reads and writes compressed files of which any part can be read
// without the rest: the seekable format of zstd. Such a file is a row of independent
// zstd frames, cut at line ends where there are any, and a table of their sizes in a
// frame that decoders skip, so that `zstd -d` reads it like any other.
//
// A file may hold a note of its writer's, in a frame that decoders skip too. It is
// bytes to this package, which opens no file and knows nothing of what it compresses.
//
// A reader believes nothing that it has not checked: each frame carries a checksum,
// the table has to account for every byte of the file, and no frame may ask for more
// than a few MiB of memory.
package seekable

import "errors"

// ErrDamaged is in the error of a file that is not whole, or that no Writer wrote.
var ErrDamaged = errors.New("the compressed file is damaged")

// Sizes of frames, in bytes of what they hold.
const (
	frameBytes = 512 << 10 // a frame is cut at the last line end before this many
	longFrame  = 1 << 20   // and without a line end at this many
	maxFrame   = 8 << 20   // a larger one is not read
	maxNote    = 64 << 20
)

// What reaches the disk. All numbers are little-endian.
const (
	skipMagic  = 0x184D2A50 // of the note's frame: this, its length (4 bytes), CRC-32 of the note (4), the note
	tableMagic = 0x184D2A5E // of the table's: this, its length (4), the entries, the foot
	footMagic  = 0x8F92EAB1 // ends the file

	skipHead  = 8
	noteHead  = skipHead + 4
	entrySize = 8 // bytes of a frame in the file (4), bytes of what it holds (4)
	footSize  = 9 // number of entries (4), flags (1), footMagic (4)
)
