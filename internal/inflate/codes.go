package inflate

import "math/bits"

const (
	maxLiterals  = 288
	maxDistances = 32
	endOfBlock   = 256
	maxMatch     = 258
	maxCode      = 15               // bits
	longestMatch = 15 + 5 + 15 + 13 // bits: two codes with their extra bits
)

// The numbers of index bits of the tables, and the room for longer codes.
const (
	literalBits  = 10
	distanceBits = 8
	orderBits    = 7
	longCodes    = 4608 // 288 codes, two to a subtable of 1<<(maxCode-literalBits); 36 of 1<<7
)

// A table entry is the meaning of a code: the code's length in the lowest five bits, then the number
// of extra bits in one byte, then the value. No entry is zero.
const (
	isLiteral = 1 << 31
	isEnd     = 1 << 30
	isLong    = 1 << 29 // the code is longer: value is the start of its subtable, the extra bits its index
	valueAt   = 13
	extraAt   = 5
	valueMask = 1<<16 - 1
	extraMask = 1<<8 - 1
	sizeMask  = 1<<5 - 1
)

// orderOf is the order of the code length code's lengths.
var orderOf = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// literalEntry returns the meaning of a literal, an end of block or a length. ok is false for the two
// unused symbols.
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

// build makes the table of a canonical code from the lengths of its symbols' codes. meaning reports
// unused symbols.
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
	if left > 0 && longest > 1 { // incomplete code
		return false
	}
	free := 1 << index
	deeper := uint(max(0, longest-int(index))) // index bits of a subtable
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

// fix makes the tables of the fixed code.
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

// codes reads the codes of a block.
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
		if d.n < 14 { // seven for a code, seven for its repeat count
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

// longer returns the entry of a code that continues in a subtable. acc starts after the bits of the
// first table; the entry's length includes them.
func longer(at []uint32, entry uint32, acc uint64) uint32 {
	depth := entry >> extraAt & extraMask
	i := int(entry>>valueAt&valueMask) + int(acc&(1<<depth-1))
	if i >= len(at) {
		return 0
	}
	return at[i]
}
