package audit_test

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"os"
	"strconv"
	"testing"

	"entire/checkpoint/audit"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/statement"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// BenchmarkVerify checks a branch with AUDIT_CHECKPOINTS checkpoints (2,000), all with a signed statement.
func BenchmarkVerify(b *testing.B) {
	n := 2000
	if many, err := strconv.Atoi(os.Getenv("AUDIT_CHECKPOINTS")); err == nil {
		n = many
	}
	k := newKey(b, 1)
	r := testrepo.New(b)
	r.GitInput(importStream(b, n, k), "fast-import", "--quiet")
	repo := checkpointtest.Open(b, r)
	_, tip, err := metadata.Tip(b.Context(), repo)
	if err != nil {
		b.Fatal(err)
	}
	opts := audit.Options{Signers: audit.ReadSigners([]byte(k.allowed("ann@x"))), Strict: true}
	for b.Loop() {
		got, err := audit.Verify(b.Context(), repo, tip, opts)
		if err != nil || len(got.Findings) > 0 || got.Checkpoints != n || got.Trusted != n {
			b.Fatalf("%v %+v", err, got)
		}
	}
}

// importStream returns n checkpoints of one clone as a stream for git fast-import.
func importStream(b *testing.B, n int, k key) string {
	var out bytes.Buffer
	out.WriteString("commit refs/heads/entire/checkpoints/v1\ncommitter T <t@x> 1770000000 +0000\ndata 1\nx\n")
	file := func(path string, data []byte) {
		fmt.Fprintf(&out, "M 100644 inline %s\ndata %d\n", path, len(data))
		out.Write(append(data, '\n'))
	}
	var last *statement.Link
	for i := 1; i <= n; i++ {
		cp := fmt.Sprintf("%012x", uint64(i)*0x9e3779b97f4a%(1<<48))
		dir := cp[:2] + "/" + cp[2:] + "/"
		names := []string{"content_hash.txt", "full.jsonl", "metadata.json", "prompt.txt"}
		var entries []git.TreeEntry
		for _, name := range names {
			data := fmt.Appendf(nil, "{\"file\":%q,\"of\":%q}\n", name, cp)
			file(dir+"0/"+name, data)
			entries = append(entries, git.TreeEntry{Mode: git.ModeFile, Name: name, OID: git.ObjectOID(sha1.New(), "blob", data)})
		}
		summary := fmt.Appendf(nil, "{\"checkpoint_id\":%q}\n", cp)
		file(dir+"metadata.json", summary)
		slot := git.ObjectOID(sha1.New(), "tree", encodeTree(entries))
		st := &statement.Statement{Type: statement.Type, PredicateType: statement.PredicateType,
			Subject: []statement.Subject{{Name: "checkpoint", Digest: map[string]string{"gitTree": slot.String()}}},
			Predicate: statement.Predicate{Checkpoint: cp, Time: checkpointtest.Noon, Person: statement.Person{Name: "Ann", Email: "ann@x"},
				Files:    map[string]string{"0": slot.String(), "metadata.json": git.ObjectOID(sha1.New(), "blob", summary).String()},
				Sessions: []statement.Session{{ID: "s" + cp, Agent: "Claude Code"}}, Chain: statement.Chain{Clone: cloneA, Number: i, Previous: last}}}
		data, err := st.Encode()
		if err != nil {
			b.Fatal(err)
		}
		sig, err := k.sign(b.Context(), statement.Namespace, data)
		if err != nil {
			b.Fatal(err)
		}
		file(dir+statement.Name(cloneA), data)
		file(dir+statement.SignatureName(cloneA), []byte(sig))
		link := st.Link(data)
		last = &link
	}
	head, err := statement.Head{Clone: cloneA, Link: *last}.Encode()
	if err != nil {
		b.Fatal(err)
	}
	file(statement.HeadFolder+"/"+cloneA+".json", head)
	return out.String()
}

func encodeTree(entries []git.TreeEntry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "100644 %s\x00", e.Name)
		b.Write(e.OID.Bytes())
	}
	return b.Bytes()
}
