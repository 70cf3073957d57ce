package object

import (
	"encoding/binary"
)

// deltaSizes returns the lengths of a delta's base and result.
func deltaSizes(delta []byte) (base, result int64, rest []byte, ok bool) {
	a, n := binary.Uvarint(delta)
	if n <= 0 {
		return 0, 0, nil, false
	}
	b, m := binary.Uvarint(delta[n:])
	if m <= 0 || a > NativeMax || b > NativeMax {
		return 0, 0, nil, false
	}
	return int64(a), int64(b), delta[n+m:], true
}

// applyDelta applies a delta to its base and returns the result, in room if it is large
// enough. ok is false for a delta of another base, or a damaged one.
func applyDelta(room, base, delta []byte) ([]byte, bool) {
	from, size, ops, ok := deltaSizes(delta)
	if !ok || from != int64(len(base)) {
		return nil, false
	}
	out := room[:0]
	if int64(cap(out)) < size {
		out = make([]byte, 0, size)
	}
	for len(ops) > 0 {
		op := ops[0]
		ops = ops[1:]
		if op&0x80 == 0 {
			n := int(op)
			if n == 0 || n > len(ops) {
				return nil, false
			}
			out, ops = append(out, ops[:n]...), ops[n:]
			continue
		}
		var arg [7]uint32 // four bytes of the offset, three of the length
		for i := range arg {
			if op&(1<<i) == 0 {
				continue
			}
			if len(ops) == 0 {
				return nil, false
			}
			arg[i], ops = uint32(ops[0]), ops[1:]
		}
		at := int64(arg[0] | arg[1]<<8 | arg[2]<<16 | arg[3]<<24)
		n := int64(arg[4] | arg[5]<<8 | arg[6]<<16)
		if n == 0 {
			n = 0x10000
		}
		if at+n > int64(len(base)) || int64(len(out))+n > size {
			return nil, false
		}
		out = append(out, base[at:at+n]...)
	}
	return out, int64(len(out)) == size
}
