// Package seekable reads and writes compressed files with random access, in the seekable format of
// zstd. Such a file is a sequence of independent zstd frames, cut at line ends if possible, and a
// table of their sizes in a frame that decoders skip, so that `zstd -d` reads it like any other file.
// A file may contain a note from its writer, also in a skipped frame. The package treats the note as
// bytes. It opens no files and does not interpret the data it compresses.
//
// A reader checks everything: each frame has a checksum, the table must account for every byte of the
// file, and no frame may need more than a few MiB of memory.
package seekable

import "errors"

// ErrDamaged is wrapped by the error for an incomplete file, or one that no Writer wrote.
var ErrDamaged = errors.New("the compressed file is damaged")

// Sizes of frames, in uncompressed bytes.
const (
	frameBytes = 512 << 10 // a frame is cut at the last line end before this size,
	longFrame  = 1 << 20   // or, without a line end, at this size
	maxFrame   = 8 << 20   // a larger frame is refused
	maxNote    = 64 << 20
)

// Values in the format. All numbers are little-endian.
const (
	skipMagic  = 0x184D2A50 // note frame: this, its length (4 bytes), CRC-32 of the note (4), the note
	tableMagic = 0x184D2A5E // table frame: this, its length (4), the entries, the foot
	footMagic  = 0x8F92EAB1 // ends the file

	skipHead  = 8
	noteHead  = skipHead + 4
	entrySize = 8 // compressed size of a frame (4), uncompressed size (4)
	footSize  = 9 // number of entries (4), flags (1), footMagic (4)
)
