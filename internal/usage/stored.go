package usage

import (
	"encoding/binary"
	"errors"
)

// magic begins a stored log; another version has another.
const magic = "entire usage 1\n"

var errStored = errors.New("not a stored log of answers")

// MarshalBinary returns the log as bytes.
func (l *Log) MarshalBinary() ([]byte, error) {
	out := []byte(magic)
	out = appendText(out, l.Stamp)
	out = binary.AppendVarint(out, l.End)
	out = binary.AppendUvarint(out, uint64(len(l.Turns)))
	last := int64(0)
	for _, at := range l.Turns {
		out = binary.AppendVarint(out, at-last)
		last = at
	}
	out = binary.AppendUvarint(out, uint64(len(l.Answers)))
	models := map[string]uint64{}
	last = 0
	for _, a := range l.Answers {
		out = binary.LittleEndian.AppendUint64(out, a.Key)
		out = binary.LittleEndian.AppendUint64(out, a.Name)
		out = binary.AppendVarint(out, a.When-last)
		last = a.When
		n, known := models[a.Model]
		if !known {
			n = uint64(len(models))
			models[a.Model] = n
		}
		if out = binary.AppendUvarint(out, n); !known {
			out = appendText(out, a.Model)
		}
		out = append(out, flags(a.Sub, a.Rewound))
		for _, n := range []int64{a.RewoundAt, a.Tokens.Input, a.Tokens.CacheRead, a.Tokens.CacheWrite, a.Tokens.Output, a.Tokens.Reasoning, a.Tokens.HourWrite} {
			out = binary.AppendVarint(out, n)
		}
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary wrote, and returns an error for anything else.
func (l *Log) UnmarshalBinary(data []byte) error {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return errStored
	}
	d := decoder{data: data[len(magic):]}
	*l = Log{Stamp: d.text(), End: d.varint(), resumed: true}
	last := int64(0)
	for n := d.length(1); n > 0 && !d.bad; n-- {
		last += d.varint()
		l.Turns = append(l.Turns, last)
	}
	var models []string
	last = 0
	n := d.length(18)
	l.Answers = make([]Answer, 0, n)
	for ; n > 0 && !d.bad; n-- {
		a := Answer{Key: d.fixed(), Name: d.fixed()}
		last += d.varint()
		a.When = last
		m := d.uvarint()
		if m == uint64(len(models)) {
			models = append(models, d.text())
		}
		if m >= uint64(len(models)) {
			return errStored
		}
		a.Model = models[m]
		f := d.byte()
		a.Sub, a.Rewound = f&1 != 0, f&2 != 0
		for _, to := range []*int64{&a.RewoundAt, &a.Tokens.Input, &a.Tokens.CacheRead, &a.Tokens.CacheWrite, &a.Tokens.Output, &a.Tokens.Reasoning, &a.Tokens.HourWrite} {
			*to = d.varint()
		}
		l.Answers = append(l.Answers, a)
	}
	if d.bad || len(d.data) > 0 {
		*l = Log{}
		return errStored
	}
	return nil
}

func flags(a, b bool) (f byte) {
	if a {
		f |= 1
	}
	if b {
		f |= 2
	}
	return f
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// A decoder takes values from data. After one that is not there it is bad, and all values are zero.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) take(n int) []byte {
	if d.bad || n < 0 || n > len(d.data) {
		d.bad, d.data = true, nil
		return nil
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		n = -1
	}
	if d.take(n); d.bad {
		return 0
	}
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.data)
	if n <= 0 {
		n = -1
	}
	if d.take(n); d.bad {
		return 0
	}
	return v
}

func (d *decoder) fixed() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// length returns a number of values of at least size bytes each.
func (d *decoder) length(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.data)/size) {
		d.bad, d.data = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) text() string { return string(d.take(d.length(1))) }
