package session

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"entire/agent"
	"entire/session/internal/conversation"
)

// encoded is what encoding/json writes, without escaping HTML.
func encoded(t *testing.T, m *Message) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	must(t, enc.Encode(m))
	return out.String()
}

// fillAll gives every field of a struct a value that is not zero, so that a
// field which the encoder does not know is noticed.
func fillAll(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text of " + v.Type().Name())
	case reflect.Int:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillAll(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":[1,"<b>"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillAll(v.Index(i), depth)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeOf(aDay) {
			v.Set(reflect.ValueOf(aDay.Add(5)))
			return
		}
		for i := range v.NumField() {
			fillAll(v.Field(i), depth)
		}
	}
}

func TestLineIsWhatJSONWrites(t *testing.T) {
	t.Parallel()
	var full Message
	fillAll(reflect.ValueOf(&full).Elem(), 2)
	odd := full
	odd.Content = "\"\\\b\f\n\r\t\x00\x1f\x7f<&>\u2028\u2029é\U0001F600\xff\xed\xa0\x80" + strings.Repeat("long", 100)
	if line, _ := conversation.AppendLine(nil, &full); true {
		if m, err := conversation.ParseMessage(line); err != nil || !reflect.DeepEqual(m, full) {
			t.Errorf("read as %+v, %v; want %+v", m, err, full)
		}
	}
	for _, m := range []Message{full, odd, {}, say(1), say(2), {ToolCalls: []agent.ToolUse{{}}}} {
		line, err := conversation.AppendLine(nil, &m)
		if err != nil || string(line) != encoded(t, &m) {
			t.Errorf("%v\n got %q\nwant %q", err, line, encoded(t, &m))
		}
	}
	for _, m := range []Message{
		{ToolCalls: []agent.ToolUse{{ID: "c", Input: json.RawMessage("{")}}},
		{Timestamp: aDay.AddDate(9000, 0, 0)},
	} {
		if line, err := conversation.AppendLine(nil, &m); err == nil {
			t.Errorf("no error: %q", line)
		}
	}
	m := Message{ToolCalls: []agent.ToolUse{{Input: json.RawMessage("{\n\"a\": 1 }")}}}
	if line, err := conversation.AppendLine(nil, &m); err != nil || !strings.Contains(string(line), `"input":{ "a": 1 }`) {
		t.Errorf("%q, %v", line, err)
	}
}

// FuzzMessageLine reads a line: what is a message is written as encoding/json
// writes it, and reads the same.
func FuzzMessageLine(f *testing.F) {
	for n := range 3 {
		line, _ := conversation.AppendLine(nil, new(say(n)))
		f.Add(line)
	}
	f.Add([]byte(`{"uuid":"\ud800","tool_calls":[{"id":"1","input":{"a" : 1}}],"usage":{"subagent_tokens":{}},"timestamp":"2026-01-02T03:04:05+07:00"}`))
	f.Add([]byte(`{"tool_calls":[{"input":null}],"content":"\u0000\u2028"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := conversation.DecodeMessage(conversation.StoredLine{File: "absent", Data: data})
		if err != nil {
			return
		}
		var plain Message
		if err := json.Unmarshal(data, &plain); err != nil || !reflect.DeepEqual(plain, m) {
			t.Fatalf("%q is read as %+v, by encoding/json as %+v, %v", data, m, plain, err)
		}
		line, err := conversation.AppendLine(nil, &m)
		if err != nil {
			return // a year no writer can write
		}
		if bytes.Count(line, []byte("\n")) != 1 || !json.Valid(line) {
			t.Fatalf("%q was written as %q", data, line)
		}
		var again Message
		if err := json.Unmarshal(line, &again); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for i := range m.ToolCalls { // spaces are kept, line ends are not
			m.ToolCalls[i].Input, again.ToolCalls[i].Input = compact(m.ToolCalls[i].Input), compact(again.ToolCalls[i].Input)
		}
		if encoded(t, &again) != encoded(t, &m) {
			t.Fatalf("%q became %q", data, line)
		}
	})
}

func compact(value json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, value) != nil {
		return value
	}
	return out.Bytes()
}

func TestDeepNestingIsRefused(t *testing.T) {
	t.Parallel()
	deep := []byte(strings.Repeat("[", 20<<20))
	for name, data := range map[string][]byte{"open": deep, "closed": append(deep, bytes.Repeat([]byte("]"), len(deep))...)} {
		if _, err := conversation.ParseMessage(append([]byte(`{"tool_calls":`), append(data, '}')...)); err == nil {
			t.Errorf("%s: read", name)
		}
		if _, err := conversation.AppendLine(nil, &Message{ToolCalls: []agent.ToolUse{{Input: data}}}); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

func BenchmarkParseMessage(b *testing.B) {
	m := say(2)
	m.Content = strings.Repeat("some words \"quoted\"\n", 60)
	line, _ := conversation.AppendLine(nil, &m)
	for name, read := range map[string]func() error{
		"own":  func() error { return second(conversation.ParseMessage(line)) },
		"json": func() error { return json.Unmarshal(line, new(Message)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
