package config

import (
	"strings"

	"github.com/tidwall/gjson"
)

// A member is one key of a JSON object. Its positions are offsets in the object's text.
type member struct {
	key   string
	start int // start of the quoted key
	value int // start of the value
	end   int // end of the value
}

func (m member) raw(object string) string { return object[m.value:m.end] }

// members lists the members of a valid JSON object, whose text begins with its brace; "" has none. A
// repeated key is listed each time, and its last value counts.
func members(object string) []member {
	if object == "" {
		return nil
	}
	var list []member
	gjson.Result{Type: gjson.JSON, Raw: object}.ForEach(func(k, v gjson.Result) bool {
		list = append(list, member{k.Str, k.Index, v.Index, v.Index + len(v.Raw)})
		return true
	})
	return list
}

func find(list []member, key string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].key == key {
			return i
		}
	}
	return -1
}

// setMember sets key to the JSON text raw and returns the object. An existing key keeps its place; a
// new one is inserted by order, or at the end. In an empty object, each member gets its own line, and
// the closing brace gets the given indentation.
func setMember(object, key, raw, indent string, order []string) string {
	list := members(object)
	if i := find(list, key); i >= 0 {
		return object[:list[i].value] + raw + object[list[i].end:]
	}
	quoted := quote(key)
	if len(list) == 0 {
		return "{\n" + indent + unit + quoted + ": " + raw + "\n" + indent + "}"
	}
	first := list[0]
	before := object[1:first.start]
	text := quoted + between(object, first) + raw
	i := position(list, key, order)
	if i == 0 {
		return object[:first.start] + text + "," + before + object[first.start:]
	}
	at := list[i-1].end
	return object[:at] + "," + before + text + object[at:]
}

// between returns the text between a key and its value.
func between(object string, m member) string {
	gap := object[m.start:m.value]
	return gap[strings.LastIndexByte(gap, '"')+1:]
}

// position returns the index for a new key: after the last member that precedes it in order, otherwise
// before the first that follows it, otherwise at the end.
func position(list []member, key string, order []string) int {
	rank := func(k string) int {
		for i, name := range order {
			if name == k {
				return i
			}
		}
		return -1
	}
	own := rank(key)
	if own < 0 {
		return len(list)
	}
	for i := len(list) - 1; i >= 0; i-- {
		if r := rank(list[i].key); 0 <= r && r < own {
			return i + 1
		}
	}
	for i, m := range list {
		if rank(m.key) > own {
			return i
		}
	}
	return len(list)
}
