package git

import "encoding/binary"

// deltaSizes reads how long a delta's base and result are.
func deltaSizes(delta []byte) (base, result int64, rest []byte, ok bool) {
	a, n := binary.Uvarint(delta)
	if n <= 0 {
		return 0, 0, nil, false
	}
	b, m := binary.Uvarint(delta[n:])
	if m <= 0 || a > nativeMax || b > nativeMax {
		return 0, 0, nil, false
	}
	return int64(a), int64(b), delta[n+m:], true
}

// applyDelta does what a delta says: copies parts of base, and adds text of its
// own, in room if there is enough. It is false for a delta that is not of this base, or
// damaged.
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
		var arg [7]uint32 // four bytes of where, three of how much
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
