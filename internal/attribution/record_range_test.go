package attribution

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRangesAreDecodedAsPlain: whatever the form of ranges, they are decoded as encoding/json does, and
// the form that this package writes is scanned.
func TestRangesAreDecodedAsPlain(t *testing.T) {
	t.Parallel()
	same := func(t interface{ Fatalf(string, ...any) }, data string) {
		var got Ranges
		var want []Range
		gotErr, wantErr := json.Unmarshal([]byte(data), &got), json.Unmarshal([]byte(data), &want)
		if (gotErr == nil) != (wantErr == nil) || gotErr == nil && !reflect.DeepEqual(got, Ranges(want)) {
			t.Fatalf("%s: %+v (%v), plainly %+v (%v)", data, got, gotErr, want, wantErr)
		}
	}
	for _, data := range []string{
		`null`, `{}`, `[]`, `{"start":1}`, `{"start":1,"count":2,"owner":0,"prints":null}`, `{"start":01,"count":2,"owner":0,"prints":""}`,
		`{"start":-1,"count":2,"owner":0,"prints":""}`, `{"start":1e2,"count":2,"owner":0,"prints":""}`, `{"start":1,"count":2,"owner":0,"prints":"AAAA"}`,
		`{"start":1,"count":2,"owner":0,"prints":"\u0041AAAAA=="}`, `{"start":1,"count":1,"owner":0,"prints":"AAAAAA==","new":{"a":"}"}}`,
		`{"start":99999999999,"count":1,"owner":0,"prints":"AAAAAA=="}`, `{"start":9999999999999999999999,"count":1,"owner":0,"prints":"AAAAAA=="}`,
		`{"start":1,"count":1,"owner":0,"prints":"AAAAAA==","moved":false}`, `{"start":1,"count":1,"owner":0,"prints":"AAAAAA==","moved":true,"moved":false}`,
		`{"start":1,"count":1,"owner":0,"prints":"AAAAAA==","modified":true,"moved":true}`, ` { "start" : 1 , "count":1,"owner":0,"prints":"AAAAAA=="} `,
		`{"start":1,"count":1,"owner":0,"prints":"AA\nAAAA=="}`, `{"START":1,"count":1,"owner":0,"prints":"AAAAAA=="}`,
	} {
		same(t, data)
		same(t, "["+data+"]")
		same(t, `[{"start":1,"count":1,"owner":0,"prints":"AAAAAA=="},`+data+"]")
	}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Range {
			return Range{Start: rapid.IntRange(0, 1<<30).Draw(t, "start"), Count: rapid.IntRange(0, 99).Draw(t, "count"), Owner: rapid.IntRange(0, 9).Draw(t, "owner"),
				Prints: rapid.SliceOf(rapid.Custom(func(t *rapid.T) Print { return Print(rapid.Uint32().Draw(t, "print")) })).Draw(t, "prints"),
				Moved:  rapid.Bool().Draw(t, "moved"), Modified: rapid.Bool().Draw(t, "modified")}
		}), 1, 4).Draw(t, "ranges")
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := scanList(data, (*scanner).next); !ok && !slices.ContainsFunc(list, func(g Range) bool { return g.Start >= 1<<27 }) {
			t.Fatalf("%s is not scanned", data)
		}
		same(t, string(data))
		g := RemovedRange{rapid.IntRange(-1, 1<<30).Draw(t, "line"), rapid.IntRange(0, 99).Draw(t, "count"), rapid.IntRange(0, 9).Draw(t, "owner"), rapid.Bool().Draw(t, "replaced")}
		removed, err := json.Marshal([]RemovedRange{g, g})
		if err != nil {
			t.Fatal(err)
		}
		var got RemovedRanges
		if err := json.Unmarshal(removed, &got); err != nil || !slices.Equal(got, RemovedRanges{g, g}) {
			t.Fatalf("%s: %+v (%v)", removed, got, err)
		}
		if _, ok := scanList(removed, (*scanner).nextRemoved); !ok && g.Line >= 0 && g.Line < 1<<27 {
			t.Fatalf("%s is not scanned", removed)
		}
	})
}
