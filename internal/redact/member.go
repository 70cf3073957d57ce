package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// unique returns key, or with a number what no other member of the object is called.
func (o *object) unique(in, key []byte) []byte {
	taken := append(memberKeys(in, o.start), o.taken...)
	name := decode(key)
	for n := 2; slices.Contains(taken, name); n++ {
		name = decode(key) + "_" + strconv.Itoa(n)
	}
	o.taken = append(o.taken, name)
	return append(slices.Clip(key), name[len(decode(key)):]...)
}

// memberKeys returns the decoded keys of the object that starts at start.
func memberKeys(in []byte, start int) (keys []string) {
	members(in, start, func(key string, _ []byte) { keys = append(keys, key) })
	return keys
}

// memberString returns the string that is called name in the object that starts at start.
func memberString(in []byte, start int, name string) (value string) {
	members(in, start, func(key string, v []byte) {
		if key == name && len(v) > 1 && v[0] == '"' {
			value = decode(v[1 : len(v)-1])
		}
	})
	return value
}

func members(in []byte, start int, yield func(key string, value []byte)) {
	if in[start] != '{' {
		return
	}
	dec := json.NewDecoder(bytes.NewReader(in[start:]))
	if _, err := dec.Token(); err != nil {
		return
	}
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		var v json.RawMessage
		if err != nil || !ok || dec.Decode(&v) != nil {
			return
		}
		yield(key, v)
	}
}
