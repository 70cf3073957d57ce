package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// benchTranscript is the file that ENTIRE_BENCH_TRANSCRIPT names, or a transcript made up.
func benchTranscript(t testing.TB) []byte {
	if path := os.Getenv("ENTIRE_BENCH_TRANSCRIPT"); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	return madeUpTranscript(t, 1<<20)
}

// madeUpTranscript has the shape of an agent's: prompts, answers, files read and edited, commands'
// output, one secret in a hundred lines.
func madeUpTranscript(t testing.TB, size int) []byte {
	rnd := newRand(7)
	var b strings.Builder
	parent := ""
	for n := 0; b.Len() < size; n++ {
		id := uuid(rnd)
		content := prose(rnd, 20+rnd.IntN(100))
		switch n % 4 {
		case 1:
			content = source(rnd, 5+rnd.IntN(120))
		case 2:
			content = "go test ./...\nok  \texample.com/app/internal/store\t0.21s\n" + prose(rnd, 30)
		}
		if n%100 == 50 {
			content += "\nexport GITHUB_TOKEN=" + "gh" + "p_" + randomString(rnd, alnum, 36) + "\n"
		}
		line, err := json.Marshal(map[string]any{
			"parentUuid": parent, "uuid": id, "sessionId": "258c7280-ae70-4798-800f-63464d01a85d",
			"cwd": "/home/somebody/projects/app-worktrees/feature-one", "type": "assistant",
			"requestId": "req_01" + randomString(rnd, alnum, 22), "timestamp": "2026-02-11T10:12:33.123Z",
			"message": map[string]any{"id": "msg_01" + randomString(rnd, alnum, 22), "content": []any{
				map[string]any{"type": "text", "text": content},
				map[string]any{"type": "tool_use", "id": "toolu_01" + randomString(rnd, alnum, 22), "input": map[string]any{
					"file_path": fmt.Sprintf("/home/somebody/projects/app/internal/store/file_%d.go", n)}},
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
		parent = id
	}
	return []byte(b.String())
}

func uuid(rnd *rand.Rand) string {
	h := func(n int) string { return randomString(rnd, "0123456789abcdef", n) }
	return h(8) + "-" + h(4) + "-4" + h(3) + "-a" + h(3) + "-" + h(12)
}

var vocabulary = strings.Fields(`the a key of token is read and written by store when access to api config author session
	test passes however we must keep every path in order before it returns an error or secret handling`)

func prose(rnd *rand.Rand, words int) string {
	list := make([]string, words)
	for i := range list {
		list[i] = vocabulary[rnd.IntN(len(vocabulary))]
	}
	return strings.Join(list, " ") + "."
}

func source(rnd *rand.Rand, lines int) string {
	var b strings.Builder
	for i := range lines {
		a, c := vocabulary[rnd.IntN(len(vocabulary))], vocabulary[rnd.IntN(len(vocabulary))]
		fmt.Fprintf(&b, "%d\t\tif err := %s.%s(ctx, %q); err != nil { // %s\n", i, a, c, a+"/"+c+".go", prose(rnd, 4))
	}
	return b.String()
}

// stringsOf returns the values of line that are strings, decoded by encoding/json.
func stringsOf(line string) (list []string) {
	var v any
	if json.Unmarshal([]byte(line), &v) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return list
}
