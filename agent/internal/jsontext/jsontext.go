package jsontext

// Elements splits the inside of an array at its commas.
func Elements(text []byte, from, to int) []Span {
	if SkipSpace(text, from) >= to {
		return nil
	}
	var out []Span
	for at := from; ; {
		end := SkipSpace(text, SkipValue(text, SkipSpace(text, at)))
		out = append(out, Span{From: at, To: end})
		if end >= to {
			return out
		}
		at = end + 1
	}
}

// This file edits JSON as text: an edit changes no other byte. The texts must be valid
// JSON (json.Valid).

// TextValue is one value and its place in the text.
type TextValue struct {
	Start, End int
	Open       byte       // the first byte: '{', '[', '"', ...
	Items      []TextItem // for an object or array
}

// TextItem is an element of an array or a member of an object; start is the offset of the
// element or of the member's key.
type TextItem struct {
	Key   string
	start int
	Value TextValue
}

// ParseText parses the value at or after from.
func ParseText(text []byte, from int) TextValue {
	from = SkipSpace(text, from)
	v := TextValue{Start: from, Open: text[from]}
	if v.Open != '{' && v.Open != '[' {
		v.End = SkipValue(text, from)
		return v
	}
	i := SkipSpace(text, from+1)
	for text[i] != '}' && text[i] != ']' {
		it := TextItem{start: i}
		if v.Open == '{' {
			end := skipString(text, i)
			it.Key = Unquote(text[i:end])
			i = SkipSpace(text, end) + 1 // the colon
		}
		it.Value = ParseText(text, i)
		v.Items = append(v.Items, it)
		if i = SkipSpace(text, it.Value.End); text[i] == ',' {
			i = SkipSpace(text, i+1)
		}
	}
	v.End = i + 1
	return v
}

// Index returns the index of the last member with that key, which is the one that counts;
// -1 if there is none.
func (v TextValue) Index(key string) int {
	if v.Open != '{' {
		return -1
	}
	for i := len(v.Items) - 1; i >= 0; i-- {
		if v.Items[i].Key == key {
			return i
		}
	}
	return -1
}

// Member returns the value under key.
func (v TextValue) Member(key string) (TextValue, bool) {
	i := v.Index(key)
	if i < 0 {
		return TextValue{}, false
	}
	return v.Items[i].Value, true
}

// Str returns the text of a string, "" for any other value.
func (v TextValue) Str(text []byte) string { return Unquote(text[v.Start:v.End]) }
