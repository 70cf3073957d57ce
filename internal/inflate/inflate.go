// Package inflate decompresses git's objects: whole zlib streams that are in memory,
// whose content is as long as is known. It does only that, two to three times as fast as
// a reader that takes a stream a byte at a time. The streams' own checksum is not
// looked at: what git stores has the hash of its content for a name.
package inflate

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// ErrCorrupt is the error of what is no zlib stream, or not a whole one.
var ErrCorrupt = errors.New("corrupt zlib stream")

// Decoder decompresses one stream after the other. It must not be used at once by two
// goroutines; its zero value is ready.
type Decoder struct {
	src []byte
	pos int    // of the next byte of src that is not in acc
	acc uint64 // bits that were read, the next one lowest
	n   uint   // how many there are

	dst []byte
	out int // bytes of dst that are there

	lengths [maxLiterals + maxDistances]uint8
	literal [1<<literalBits + longCodes]uint32
	far     [1<<distanceBits + longCodes]uint32
	order   [1 << orderBits]uint32

	// Small objects are in the codes that every decoder knows: those are made once.
	fixed        bool
	fixedLiteral [1 << literalBits]uint32
	fixedFar     [1 << distanceBits]uint32
}

// Into decompresses the zlib stream that src begins with until dst is full or the
// stream ends, and returns how many bytes it has written. What dst has beyond them
// is undefined.
func (d *Decoder) Into(dst, src []byte) (int, error) {
	if len(src) < 2 || src[0]&0x0f != 8 || src[1]&0x20 != 0 || binary.BigEndian.Uint16(src)%31 != 0 {
		return 0, ErrCorrupt
	}
	d.src, d.pos, d.acc, d.n, d.dst, d.out = src, 2, 0, 0, dst, 0
	err := d.blocks()
	d.src, d.dst = nil, nil
	return d.out, err
}

func (d *Decoder) blocks() error {
	for last := false; !last && d.out < len(d.dst); {
		head, ok := d.bits(3)
		if !ok {
			return ErrCorrupt
		}
		last = head&1 != 0
		switch head >> 1 {
		case 0:
			ok = d.stored()
		case 1:
			d.fix()
			ok = d.compressed(d.fixedLiteral[:], d.fixedFar[:])
		case 2:
			ok = d.codes() && d.compressed(d.literal[:], d.far[:])
		default:
			ok = false
		}
		if !ok {
			return ErrCorrupt
		}
	}
	return nil
}

// fill has at least 56 bits in acc, or all that are left.
func (d *Decoder) fill() {
	if len(d.src)-d.pos >= 8 {
		d.acc |= binary.LittleEndian.Uint64(d.src[d.pos:]) << (d.n & 63)
		d.pos += int(63-d.n) >> 3
		d.n |= 56
		return
	}
	for d.n <= 56 && d.pos < len(d.src) {
		d.acc |= uint64(d.src[d.pos]) << (d.n & 63)
		d.pos++
		d.n += 8
	}
}

// bits takes the next few.
func (d *Decoder) bits(n uint) (uint32, bool) {
	if d.n < n {
		if d.fill(); d.n < n {
			return 0, false
		}
	}
	v := uint32(d.acc) & (1<<n - 1)
	d.acc >>= n
	d.n -= n
	return v, true
}

// stored copies a block that is not compressed.
func (d *Decoder) stored() bool {
	d.n &= 63
	d.pos -= int(d.n >> 3) // whole bytes that were read ahead
	d.acc, d.n = 0, 0
	if len(d.src)-d.pos < 4 {
		return false
	}
	n := int(binary.LittleEndian.Uint16(d.src[d.pos:]))
	if n^0xffff != int(binary.LittleEndian.Uint16(d.src[d.pos+2:])) {
		return false
	}
	d.pos += 4
	want := min(n, len(d.dst)-d.out)
	if len(d.src)-d.pos < want {
		return false
	}
	copy(d.dst[d.out:], d.src[d.pos:d.pos+want])
	d.out += want
	d.pos += want
	return true
}

const (
	maxLiterals  = 288
	maxDistances = 32
	endOfBlock   = 256
	maxMatch     = 258
	maxCode      = 15               // bits
	longestMatch = 15 + 5 + 15 + 13 // bits: two codes with what follows them
)

// The numbers of bits that tables are indexed by, and the room for codes that are longer.
const (
	literalBits  = 10
	distanceBits = 8
	orderBits    = 7
	longCodes    = 4608 // 288 codes, two to a subtable of 1<<(maxCode-literalBits); 36 of 1<<7
)

// An entry of a table is what a code means: how long it is in the lowest five bits,
// then, in a byte, how many bits follow it, then its value. None is zero.
const (
	isLiteral = 1 << 31
	isEnd     = 1 << 30
	isLong    = 1 << 29 // the code goes on; its value is where its subtable begins, what follows that one's index
	valueAt   = 13
	extraAt   = 5
	valueMask = 1<<16 - 1
	extraMask = 1<<8 - 1
	sizeMask  = 1<<5 - 1
)

// orderOf is the order in which the lengths of the code lengths' codes come.
var orderOf = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// literalEntry is what a literal, the end of a block or a length means; ok is false for
// the two symbols that mean nothing.
func literalEntry(symbol int) (entry uint32, ok bool) {
	switch i := symbol - endOfBlock - 1; {
	case symbol < endOfBlock:
		return isLiteral | uint32(symbol)<<valueAt, true
	case symbol == endOfBlock:
		return isEnd, true
	case i < 4:
		return uint32(3+i) << valueAt, true
	case i < 28:
		extra := i/4 - 1
		return uint32(3+(4+i%4)<<extra)<<valueAt | uint32(extra)<<extraAt, true
	default:
		return maxMatch << valueAt, i == 28
	}
}

func distanceEntry(symbol int) (entry uint32, ok bool) {
	if symbol < 2 {
		return uint32(1+symbol) << valueAt, true
	}
	extra := symbol/2 - 1
	return uint32(1+(2+symbol%2)<<extra)<<valueAt | uint32(extra)<<extraAt, symbol < 30
}

func orderEntry(symbol int) (entry uint32, ok bool) { return uint32(symbol) << valueAt, true }

// build makes the table of a code out of the lengths of its symbols' codes, which are
// canonical. Some symbols mean nothing.
func build(at []uint32, index uint, lengths []uint8, meaning func(int) (uint32, bool)) bool {
	var count, next [maxCode + 1]int
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	code, longest, left := 0, 0, 1
	for n := 1; n <= maxCode; n++ {
		left = left<<1 - count[n]
		if left < 0 {
			return false
		}
		next[n] = code
		code = (code + count[n]) << 1
		if count[n] > 0 {
			longest = n
		}
	}
	clear(at[:1<<index])
	if left > 0 && longest > 1 { // some bits would mean nothing
		return false
	}
	free := 1 << index
	deeper := uint(max(0, longest-int(index))) // bits that a subtable is indexed by
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		bit := int(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		entry, ok := meaning(symbol)
		if !ok {
			continue
		}
		if uint(n) <= index {
			entry |= uint32(n)
			for ; bit < 1<<index; bit += 1 << n {
				at[bit] = entry
			}
			continue
		}
		first := &at[bit&(1<<index-1)]
		if *first == 0 {
			if free+1<<deeper > len(at) {
				return false
			}
			*first = isLong | uint32(free)<<valueAt | uint32(deeper)<<extraAt
			clear(at[free : free+1<<deeper])
			free += 1 << deeper
		}
		begin := int(*first >> valueAt & valueMask)
		entry |= uint32(n)
		for bit >>= index; bit < 1<<deeper; bit += 1 << (uint(n) - index) {
			at[begin+bit] = entry
		}
	}
	return true
}

// fix makes the codes that every decoder knows.
func (d *Decoder) fix() {
	if d.fixed {
		return
	}
	d.fixed = true
	l := d.lengths[:maxLiterals]
	for i := range l {
		switch {
		case i < 144:
			l[i] = 8
		case i < 256:
			l[i] = 9
		case i < 280:
			l[i] = 7
		default:
			l[i] = 8
		}
	}
	far := d.lengths[maxLiterals : maxLiterals+maxDistances]
	for i := range far {
		far[i] = 5
	}
	build(d.fixedLiteral[:], literalBits, l, literalEntry)
	build(d.fixedFar[:], distanceBits, far, distanceEntry)
}

// codes reads those of a block.
func (d *Decoder) codes() bool {
	head, ok := d.bits(14)
	if !ok {
		return false
	}
	literals, distances, orders := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if literals > 286 || distances > 30 {
		return false
	}
	var order [19]uint8
	for _, i := range orderOf[:orders] {
		n, ok := d.bits(3)
		if !ok {
			return false
		}
		order[i] = uint8(n)
	}
	if !build(d.order[:], orderBits, order[:], orderEntry) || !d.codeLengths(literals+distances) {
		return false
	}
	l := d.lengths[:literals+distances]
	return l[endOfBlock] != 0 && build(d.literal[:], literalBits, l[:literals], literalEntry) &&
		build(d.far[:], distanceBits, l[literals:], distanceEntry)
}

// codeLengths reads the lengths of n symbols' codes.
func (d *Decoder) codeLengths(n int) bool {
	for i := 0; i < n; {
		if d.n < 14 { // seven for a code, as many for how often
			d.fill()
		}
		entry := d.order[d.acc&(1<<orderBits-1)]
		size := uint(entry & sizeMask)
		if size == 0 || size > d.n {
			return false
		}
		d.acc >>= size
		d.n -= size
		symbol := entry >> valueAt
		if symbol < 16 {
			d.lengths[i] = uint8(symbol)
			i++
			continue
		}
		var value uint8
		extra, least := uint(2), 3
		switch symbol {
		case 16:
			if i == 0 {
				return false
			}
			value = d.lengths[i-1]
		case 17:
			extra = 3
		case 18:
			extra, least = 7, 11
		}
		more, ok := d.bits(extra)
		times := least + int(more)
		if !ok || times > n-i {
			return false
		}
		for range times {
			d.lengths[i] = value
			i++
		}
	}
	return true
}

// compressed decodes a block of the codes that two tables have.
func (d *Decoder) compressed(literal, far []uint32) bool {
	src, pos, acc, n, dst, out := d.src, d.pos, d.acc, d.n, d.dst, d.out
	ok := true
	for out < len(dst) {
		if n < longestMatch {
			if len(src)-pos >= 8 {
				acc |= binary.LittleEndian.Uint64(src[pos:]) << (n & 63)
				pos += int(63-n) >> 3
				n |= 56
			} else {
				for ; n <= 56 && pos < len(src); n += 8 {
					acc |= uint64(src[pos]) << (n & 63)
					pos++
				}
			}
		}
		entry := literal[acc&(1<<literalBits-1)]
		if entry&isLong != 0 {
			entry = longer(literal, entry, acc>>literalBits)
		}
		size := uint(entry & sizeMask)
		if size == 0 || size > n {
			ok = false
			break
		}
		acc >>= size
		n -= size
		if entry&isLiteral != 0 {
			dst[out] = byte(entry >> valueAt)
			out++
			continue
		}
		if entry&isEnd != 0 {
			break
		}
		extra := uint(entry >> extraAt & extraMask)
		length := int(entry>>valueAt&valueMask) + int(acc&(1<<extra-1))
		acc >>= extra
		back := far[acc&(1<<distanceBits-1)]
		if back&isLong != 0 {
			back = longer(far, back, acc>>distanceBits)
		}
		size = uint(back & sizeMask)
		acc >>= size
		more := uint(back >> extraAt & extraMask)
		distance := int(back>>valueAt&valueMask) + int(acc&(1<<more-1))
		acc >>= more
		if used := extra + size + more; size == 0 || used > n || distance > out {
			ok = false
			break
		} else {
			n -= used
		}
		length = min(length, len(dst)-out)
		if distance >= length {
			copy(dst[out:out+length], dst[out-distance:])
			out += length
			continue
		}
		for end := out + length; out < end; out++ { // it repeats itself
			dst[out] = dst[out-distance]
		}
	}
	d.pos, d.acc, d.n, d.out = pos, acc, n, out
	return ok
}

// longer is the entry of a code that goes on in a subtable, without the bits that
// led there; its size is that of all.
func longer(at []uint32, entry uint32, acc uint64) uint32 {
	depth := entry >> extraAt & extraMask
	i := int(entry>>valueAt&valueMask) + int(acc&(1<<depth-1))
	if i >= len(at) {
		return 0
	}
	return at[i]
}
