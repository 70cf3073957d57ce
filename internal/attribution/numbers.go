package attribution

import (
	"bytes"
	"hash/maphash"
)

// numberTable assigns different byte strings different numbers, counted from 0 in order of
// arrival. It is a hash table of its own because every line of a commit's files goes
// through it: a map takes several times the time and memory.
type numberTable struct {
	seed   maphash.Seed
	keys   [][]byte // by number; not copied
	hashes []uint32 // of each number
	slots  []int32  // a number plus 1, or 0 for none; the length is a power of two, and a third is free
}

// clear removes all keys.
func (t *numberTable) clear() {
	if t.keys == nil {
		t.seed = maphash.MakeSeed()
	}
	clear(t.keys)
	t.keys, t.hashes, t.slots = t.keys[:0], t.hashes[:0], t.slots[:0]
}

// grow reserves space for n more keys, and for some that a change may add.
func (t *numberTable) grow(n int) {
	n += len(t.keys)
	n += n/8 + 32
	if n > cap(t.keys) {
		t.keys = append(make([][]byte, 0, n), t.keys...)
		t.hashes = append(make([]uint32, 0, n), t.hashes...)
	}
	size := 64
	for 2*size < 3*n {
		size *= 2
	}
	if size <= len(t.slots) {
		return
	}
	if size <= cap(t.slots) {
		t.slots = t.slots[:size]
		clear(t.slots)
	} else {
		t.slots = make([]int32, size)
	}
	for i, h := range t.hashes {
		at := int(h) & (size - 1)
		for t.slots[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		t.slots[at] = int32(i + 1)
	}
}

// number returns the number of a key, and whether the key is new: then the key is kept
// without a copy and must not change.
func (t *numberTable) number(key []byte) (n int32, fresh bool) {
	if 3*len(t.keys) >= 2*len(t.slots) {
		t.grow(len(t.keys))
	}
	h := uint32(maphash.Bytes(t.seed, key))
	at := int(h) & (len(t.slots) - 1)
	for ; t.slots[at] != 0; at = (at + 1) & (len(t.slots) - 1) {
		if n := t.slots[at] - 1; t.hashes[n] == h && bytes.Equal(t.keys[n], key) {
			return n, false
		}
	}
	n = int32(len(t.keys))
	t.slots[at] = n + 1
	t.keys, t.hashes = append(t.keys, key), append(t.hashes, h)
	return n, true
}
