package attribution

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRecordIsDecodedAsPlain: whatever the form of a record, it is decoded as encoding/json does, and the
// form that this package writes is scanned.
func TestRecordIsDecodedAsPlain(t *testing.T) {
	t.Parallel()
	same := func(t interface{ Fatalf(string, ...any) }, data string) {
		var want Record
		got, gotErr := decode([]byte(data))
		wantErr := json.Unmarshal([]byte(data), &want)
		if (gotErr == nil) != (wantErr == nil) || gotErr == nil && !reflect.DeepEqual(got, &want) {
			t.Fatalf("%s: %+v (%v), plainly %+v (%v)", data, got, gotErr, want, wantErr)
		}
	}
	const plain = `{"version":1,"time":7,"parent":"ab","owners":[{"class":"agent","session_id":"s","turn":2},{"class":"human"}],` +
		`"files":[{"path":"f","blob":"cd","lines":3,"ranges":[{"start":1,"count":1,"owner":0,"prints":"AAAAAA==","moved":true}],` +
		`"removed":[{"line":1,"count":1,"owner":1,"replaced":true}],"dropped":"AAAAAA=="}],"incomplete":true}`
	if _, ok := scanRecord([]byte(plain + "\n")); !ok {
		t.Fatalf("%s is not scanned", plain)
	}
	for _, old := range []string{`"version":1`, `"time":7`, `"owners":[`, `{"class":"human"}`, `"human"`, `"turn":2`, `"path":"f"`, `"f"`, `"lines":3`,
		`"start":1`, `"count":1,"owner":0`, `"AAAAAA=="`, `,"moved":true`, `,"replaced":true`, `,"incomplete":true`, `"line":1`, `]`, `}`, `,`} {
		for _, other := range []string{``, `null`, `01`, `-1`, `1e2`, `99999999999999999999`, `2147483648`, `9223372036854775807`, `"\u0041"`, `"a\nb"`, "\"\xff\"",
			"\"\t\"", `"AAAA"`, `"a":2`, `,"moved":false`, ` ` + old, old + ` `, old + old, strings.ToUpper(old), `[]`, `{}`, old + `{`, `"time":9223372036854775807`,
			`"turn":-2`, `"new":{"a":"}"}`, `"lines":214748364`, `"lines":2147483640`, `"path":"fé"`, `"path":"a\"b"`} {
			same(t, strings.Replace(plain, old, other, 1))
			same(t, strings.ReplaceAll(plain, old, other))
		}
	}
	for i := range plain {
		same(t, plain[:i])
	}
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(randomRecord(t))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := scanRecord(data); !ok {
			t.Fatalf("%s is not scanned", data)
		}
		same(t, string(data))
	})
}

// randomRecord draws a record, which may be invalid, whose numbers are not negative and whose
// strings need no escapes.
func randomRecord(t *rapid.T) Record {
	word := rapid.StringMatching(`[a-zé/-]{0,5}`)
	number := rapid.IntRange(0, 1<<20)
	prints := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Print { return Print(rapid.Uint32().Draw(t, "print")) }))
	owner := rapid.Custom(func(t *rapid.T) RecordOwner {
		return RecordOwner{Class: word.Draw(t, "class"), SessionID: word.Draw(t, "session"), Agent: word.Draw(t, "agent"), Model: word.Draw(t, "model"),
			Turn: number.Draw(t, "turn"), ToolUseID: word.Draw(t, "call"), Prompt: word.Draw(t, "prompt")}
	})
	added := rapid.Custom(func(t *rapid.T) Range {
		return Range{Start: number.Draw(t, "start"), Count: number.Draw(t, "count"), Owner: number.Draw(t, "owner"), Prints: prints.Draw(t, "prints"),
			Moved: rapid.Bool().Draw(t, "moved"), Modified: rapid.Bool().Draw(t, "modified")}
	})
	removed := rapid.Custom(func(t *rapid.T) RemovedRange {
		return RemovedRange{number.Draw(t, "line"), number.Draw(t, "count"), number.Draw(t, "owner"), rapid.Bool().Draw(t, "replaced")}
	})
	file := rapid.Custom(func(t *rapid.T) RecordFile {
		return RecordFile{Path: word.Draw(t, "path"), Blob: word.Draw(t, "blob"), Lines: number.Draw(t, "lines"), Ranges: rapid.SliceOf(added).Draw(t, "ranges"),
			Removed: rapid.SliceOf(removed).Draw(t, "removed"), Dropped: prints.Draw(t, "dropped")}
	})
	return Record{Version: number.Draw(t, "version"), Time: int64(number.Draw(t, "time")), Parent: word.Draw(t, "parent"),
		Owners: rapid.SliceOfN(owner, 1, 3).Draw(t, "owners"), Files: rapid.SliceOfN(file, 1, 3).Draw(t, "files"), Incomplete: rapid.Bool().Draw(t, "incomplete")}
}
