package layout

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/tidwall/gjson"
)

// A Field is one member of a JSON object, its value byte for byte.
type Field struct {
	Key string
	Raw json.RawMessage
}

// KeysOf returns the JSON keys of a struct type's fields, and more.
func KeysOf(t reflect.Type, more ...string) map[string]bool {
	keys := map[string]bool{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			keys[name] = true
		}
	}
	for _, name := range more {
		keys[name] = true
	}
	return keys
}

// WithFields appends members to the JSON object in out, which must not be empty.
func WithFields(out []byte, rest []Field) ([]byte, error) {
	out = out[:len(out)-1]
	for _, f := range rest {
		key, err := json.Marshal(f.Key)
		if err != nil {
			return nil, err
		}
		out = append(append(append(append(out, ','), key...), ':'), f.Raw...)
	}
	return append(out, '}'), nil
}

// Object writes members as a JSON object. Their keys must need no escapes.
func Object(members map[string]json.RawMessage) []byte {
	out := []byte{'{'}
	for key, raw := range members {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), key...), '"', ':'), raw...)
	}
	return append(out, '}')
}

// Split validates the JSON object in data and returns its members in order. encoding/json would
// take "PHASE" for "phase" and lose the order.
func Split(data []byte) ([]Field, error) {
	object, err := ParseObject(data)
	if err != nil {
		return nil, err
	}
	var fields []Field
	object.ForEach(func(key, value gjson.Result) bool {
		fields = append(fields, Field{key.Str, json.RawMessage(value.Raw)})
		return true
	})
	return fields, nil
}

// ParseObject checks that data is one JSON object.
func ParseObject(data []byte) (gjson.Result, error) {
	if !gjson.ValidBytes(data) { // several times faster than encoding/json, which gives the reason
		if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
			return gjson.Result{}, err
		}
		return gjson.Result{}, errors.New("not JSON")
	}
	object := gjson.ParseBytes(data)
	if !object.IsObject() {
		return gjson.Result{}, errors.New("not a JSON object")
	}
	return object, nil
}
