package web_test

import (
	"bytes"
	"encoding/binary"
)

// boxFont returns a font in which every character is the same box, half as wide as it is high. Pictures that are
// drawn with it show where text is, and look alike on machines with other fonts.
func boxFont() []byte {
	const unitsPerEm, width, height = 1000, 500, 700
	be := func(values ...any) []byte {
		var b bytes.Buffer
		for _, v := range values {
			_ = binary.Write(&b, binary.BigEndian, v)
		}
		return b.Bytes()
	}
	// A glyph of one contour: the corners of the box, each on the curve.
	box := be(int16(1), int16(0), int16(0), int16(width-60), int16(height), uint16(3), uint16(0), [4]uint8{1, 1, 1, 1},
		int16(0), int16(0), int16(width-60), int16(0), int16(0), int16(height), int16(0), int16(-height), uint16(0))
	tables := []struct {
		tag  string
		data []byte
	}{
		{"OS/2", be(uint16(4), int16(width), uint16(400), uint16(5), uint16(0), int16(500), int16(500), int16(0), int16(0), int16(500), int16(500), int16(0), int16(0), int16(30), int16(300), int16(0),
			[10]uint8{}, [4]uint32{1}, [4]byte{'T', 'E', 'S', 'T'}, uint16(64), uint16(32), uint16(0xffff), int16(800), int16(-200), int16(0), uint16(800), uint16(200), uint32(1), uint32(0), int16(500), int16(height), uint16(0), uint16(32), uint16(1))},
		// Format 13: each of these characters is the glyph 1, but the space is the glyph 2.
		{"cmap", be(uint16(0), uint16(1), uint16(3), uint16(10), uint32(12), uint16(13), uint16(0), uint32(16+3*12), uint32(0), uint32(3),
			uint32(0x20), uint32(0x20), uint32(2), uint32(0x21), uint32(0xfffd), uint32(1), uint32(0x10000), uint32(0x10ffff), uint32(1))},
		{"glyf", box},
		{"head", be(uint32(0x10000), uint32(0x10000), uint32(0), uint32(0x5f0f3cf5), uint16(3), uint16(unitsPerEm), int64(0), int64(0), int16(0), int16(0), int16(width-60), int16(height), uint16(0), uint16(8), int16(2), int16(1), int16(0))},
		{"hhea", be(uint32(0x10000), int16(800), int16(-200), int16(0), uint16(width), int16(0), int16(60), int16(width-60), int16(1), int16(0), int16(0), [4]int16{}, int16(0), uint16(1))},
		{"hmtx", be(uint16(width), int16(0), int16(0), int16(0))},
		{"loca", be(uint32(0), uint32(0), uint32(len(box)), uint32(len(box)))},
		{"maxp", be(uint32(0x10000), uint16(3), uint16(4), uint16(1), uint16(0), uint16(0), uint16(1), uint16(0), uint16(0), uint16(0), uint16(0), uint16(0), uint16(0), uint16(0), uint16(0))},
		{"name", be(uint16(0), uint16(0), uint16(6))},
		{"post", be(uint32(0x30000), uint32(0), int16(-100), int16(50), uint32(0), [4]uint32{})},
	}
	head := be(uint32(0x10000), uint16(len(tables)), uint16(128), uint16(3), uint16(len(tables)*16-128))
	var body bytes.Buffer
	at := len(head) + 16*len(tables)
	for _, t := range tables {
		padded := append(bytes.Clone(t.data), make([]byte, (4-len(t.data)%4)%4)...)
		sum := uint32(0)
		for i := 0; i < len(padded); i += 4 {
			sum += binary.BigEndian.Uint32(padded[i:])
		}
		head = append(head, be([4]byte([]byte(t.tag)), sum, uint32(at), uint32(len(t.data)))...)
		body.Write(padded)
		at += len(padded)
	}
	return append(head, body.Bytes()...)
}
