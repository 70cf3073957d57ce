package chunk

import (
	"fmt"
	"strings"
	"testing"

	"entire/agent"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// TestDocumentIsCutWithoutLoss stores a document in one piece, and a larger one in
// several; either way every byte comes back.
func TestDocumentIsCutWithoutLoss(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	var messages []string
	for i := range 40 {
		messages = append(messages, fmt.Sprintf("\n    {\n      \"id\": \"m%d\", \"type\": \"user\",\n      \"content\": [{\"text\": \"%d ]},\\\"\"}], \"odd\": null\n    }", i, i))
	}
	doc := []byte("{\n  \"sessionId\": \"s\",\n  \"x\": 1.50,\n  \"messages\": [" + strings.Join(messages, " ,") + "\n  ],\n  \"after\": {}\n}\n")
	for _, limit := range []int{1 << 20, 1000, 300, 1} {
		log, err := cutDocument(repo.Writer(), doc, limit)
		if err != nil {
			t.Fatal(err)
		}
		if err := repo.Writer().Sync(); err != nil {
			t.Fatal(err)
		}
		if one := len(log.Entries()) == 1; one != (limit >= len(doc)) {
			t.Errorf("limit %d: %d chunks", limit, len(log.Entries()))
		}
		got, missing, err := TranscriptIn(repo.Reader(t.Context()), log.Entries(), agent.AgentTypeGemini)
		if err != nil || len(missing) > 0 || string(got) != string(doc) {
			t.Fatalf("limit %d: %v %v\n%s", limit, missing, err, got)
		}
		if log.ContentHash() != HashOf(doc) {
			t.Errorf("limit %d: another hash", limit)
		}
	}
}
