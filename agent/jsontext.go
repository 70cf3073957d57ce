package agent

// This file edits JSON as text: an edit changes no other byte. The texts must be valid
// JSON (json.Valid).

// textValue is one value and its place in the text.
type textValue struct {
	start, end int
	open       byte       // the first byte: '{', '[', '"', ...
	items      []textItem // for an object or array
}

// textItem is an element of an array or a member of an object; start is the offset of the
// element or of the member's key.
type textItem struct {
	key   string
	start int
	value textValue
}

// parseText parses the value at or after from.
func parseText(text []byte, from int) textValue {
	from = skipSpace(text, from)
	v := textValue{start: from, open: text[from]}
	if v.open != '{' && v.open != '[' {
		v.end = skipValue(text, from)
		return v
	}
	i := skipSpace(text, from+1)
	for text[i] != '}' && text[i] != ']' {
		it := textItem{start: i}
		if v.open == '{' {
			end := skipString(text, i)
			it.key = unquote(text[i:end])
			i = skipSpace(text, end) + 1 // the colon
		}
		it.value = parseText(text, i)
		v.items = append(v.items, it)
		if i = skipSpace(text, it.value.end); text[i] == ',' {
			i = skipSpace(text, i+1)
		}
	}
	v.end = i + 1
	return v
}

// index returns the index of the last member with that key, which is the one that counts;
// -1 if there is none.
func (v textValue) index(key string) int {
	if v.open != '{' {
		return -1
	}
	for i := len(v.items) - 1; i >= 0; i-- {
		if v.items[i].key == key {
			return i
		}
	}
	return -1
}

// member returns the value under key.
func (v textValue) member(key string) (textValue, bool) {
	i := v.index(key)
	if i < 0 {
		return textValue{}, false
	}
	return v.items[i].value, true
}

// str returns the text of a string, "" for any other value.
func (v textValue) str(text []byte) string { return unquote(text[v.start:v.end]) }
