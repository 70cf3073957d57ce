package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOverRedaction prints what is taken from texts that hold no secrets. ENTIRE_REDACT_CLEAN
// names a folder with further transcripts.
func TestOverRedaction(t *testing.T) {
	t.Parallel()
	texts := madeUpTexts()
	for _, root := range []string{"../../testdata/transcripts", "../../testdata/agents", "../../docs", "../../strategy", "../../go.sum", os.Getenv("ENTIRE_REDACT_CLEAN")} {
		if root != "" {
			readTexts(t, root, texts)
		}
	}
	all, gone := 0, 0
	for name, text := range texts {
		n := taken([]byte(text))
		t.Logf("%-40s %8d bytes, %5d taken (%.4f %%)", name, len(text), n, 100*float64(n)/float64(len(text)))
		all, gone = all+len(text), gone+n
	}
	t.Logf("%d of %d bytes: %.4f %%", gone, all, 100*float64(gone)/float64(all))
	if 1000*gone > all {
		t.Errorf("more than one byte in a thousand is taken")
	}
}

// readTexts reads the files below root; tests of this program hold secrets on purpose.
func readTexts(t *testing.T, root string, texts map[string]string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.IndexByte(data, 0) < 0 {
			texts[root] += string(data) + "\n"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// taken is how many bytes of data secrets are.
func taken(data []byte) int {
	clean := Lines(data)
	tokens := bytes.Count(clean, []byte(Token)) - bytes.Count(data, []byte(Token))
	return len(data) - len(clean) + tokens*len(Token)
}

// madeUpTexts are by their name texts as tools print them.
func madeUpTexts() map[string]string {
	rnd := newRand(5)
	h := func(n int) string { return randomString(rnd, hexes, n) }
	b64 := func(n int) string {
		raw, _ := hex.DecodeString(h(2 * n))
		return base64.StdEncoding.EncodeToString(raw)
	}
	many := func(line func(i int) string) string {
		var b strings.Builder
		for i := range 400 {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	pick := func() string { return vocabulary[rnd.IntN(len(vocabulary))] }
	return map[string]string{
		"npm lock": many(func(i int) string {
			return fmt.Sprintf(`    "node_modules/%s-%d": {"version": "%d.1.0", "resolved": "https://registry.npmjs.org/%s/-/%s-%d.tgz", "integrity": "sha512-%s", "license": "MIT"},`, pick(), i, i%9, pick(), pick(), i, b64(64))
		}),
		"yarn lock": many(func(i int) string {
			return fmt.Sprintf("\"@%s/%s@^%d.0.0\":\n  resolved \"https://registry.yarnpkg.com/x.tgz#%s\"\n  integrity sha1-%s", pick(), pick(), i%9, h(40), b64(20))
		}),
		"cargo lock": many(func(i int) string {
			return fmt.Sprintf("[[package]]\nname = \"%s-%d\"\nchecksum = \"%s\"", pick(), i, h(64))
		}),
		"poetry lock": many(func(i int) string {
			return fmt.Sprintf("    {file = \"%s-%d.whl\", hash = \"sha256:%s\"},", pick(), i, h(64))
		}),
		"git log": many(func(i int) string {
			return fmt.Sprintf("commit %s\nAuthor: Jo Doe <jo@host.org>\nDate:   Mon Jan %d 10:00:00 2026 +0100\n\n    %s\n\n %s/%s.go | %d ++--\nindex %s..%s 100644", h(40), i%28, prose(rnd, 8), pick(), pick(), i, h(7), h(7))
		}),
		"UUIDs":     many(func(int) string { return `{"session":"` + uuid(rnd) + `","trace_id":"` + uuid(rnd) + `"}` }),
		"checksums": many(func(i int) string { return h(64) + "  dist/" + pick() + "-" + pick() + ".tar.gz" }),
		"images": many(func(i int) string {
			return `<img src="data:image/png;base64,` + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"+randomString(rnd, alnum, 90))) + `">`
		}),
		"docker": many(func(i int) string {
			return fmt.Sprintf("%s: Pull complete\nDigest: sha256:%s\n#%d sha256:%s 0.1s", h(12), h(64), i, h(64))
		}),
		"minified": many(func(i int) string {
			return fmt.Sprintf(`!function(e,t){var n=e.%s,r=t["%s"];n.token=r.token||null,n.password=e.password;for(var o=0;o<%d;o++)n.key=r.keys[o],i(n.secret,o)}(this,{key:%d,token:"%s"});`, pick(), pick(), i, i, pick())
		}),
		"code": many(func(i int) string {
			return fmt.Sprintf("\tpassword := os.Getenv(\"DB_PASSWORD\") // %s\n\ttoken, err := parser.Next(ctx, tokenKind%d)\n\tif apiKey == \"\" { return errors.New(\"api_key: missing\") }\n  const secretKey: string = config.get('app.secretKey');\n  password: z.string().min(8),\n  auth = Authenticator(user=user, password=password)\n  curl -u $USER:$PASSWORD https://${HOST}/v1\n  url: postgres://${USER}:${PASS}@db/x\n", prose(rnd, 4), i)
		}),
		"test output": many(func(i int) string {
			return fmt.Sprintf("--- PASS: TestShellCompletionTarget (0.00s)\n    --- PASS: TestShellCompletionTarget/bash_with_%s (0.00s)\n    --- PASS: TestUUID/non-existent_tool_use_ID_%d (0.00s)\nthe key insight: `NoOptDefVal`\n", pick(), i)
		}),
		"documentation": many(func(i int) string {
			return "export AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE\nAPI_KEY=your_api_key_here\npassword: <password>\ntoken: ${{ secrets.TOKEN }}\nsecret_key: changeme_please\nAuthorization: Bearer <token>\nIf you pass `all_rendered_lines` the token checkpoint20240101 is kept; its key is sessionIdentifier2 or sortedKeys.\nthe secret rotation and token 12 of the parser; the mnemonic = \"mov eax\"; echo done; ls | cryptsetup --help\nThe password is required. The token is missing."
		}),
	}
}
