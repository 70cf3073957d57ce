package notes_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/internal/formats/authorship"
	"entire/internal/git"
	"entire/internal/notes"
	"entire/internal/testrepo"
)

func open(t *testing.T, r *testrepo.Repo) *git.Repo {
	t.Helper()
	repo, err := git.Discover(t.Context(), r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

// note returns a note of ours about a commit.
func note(t *testing.T, commit git.OID, model string) []byte {
	t.Helper()
	session := authorship.SessionKey("tool", "conversation")
	n := &authorship.Note{Files: []authorship.File{{Path: "a.txt", Entries: []authorship.Entry{{Key: authorship.CallKey(session, "1"), Ranges: []authorship.Range{{Start: 1, End: 1}}}}}},
		Metadata: authorship.Metadata{Schema: authorship.Version, Base: commit.String(), Prompts: map[string]authorship.Prompt{},
			Sessions: map[string]authorship.Session{session: {Agent: authorship.AgentID{Tool: "tool", ID: "conversation", Model: model}, Attributes: map[string]string{"written_by": "entire"}}}}}
	text, err := n.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ids returns n IDs, as of commits; a note may be about any object.
func ids(t *testing.T, n int) (out []git.OID) {
	t.Helper()
	for i := range n {
		oid, err := git.ParseOID(fmt.Sprintf("%040x", i+1))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, oid)
	}
	return out
}

// TestSyncTogether: notes that several write at once are all there, each by its own repository.
func TestSyncTogether(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	commits := ids(t, 12)
	var wg sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		repo := open(t, r)
		var wanted []notes.Wanted
		for _, c := range commits[i*4 : i*4+4] {
			wanted = append(wanted, notes.Wanted{Commit: c, Text: note(t, c, "m")})
		}
		wg.Go(func() {
			_, errs[i] = notes.Sync(t.Context(), repo, authorship.Ref, wanted, time.Unix(1e9, 0), false)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	repo := open(t, r)
	tip, err := notes.Tip(t.Context(), repo, authorship.Ref)
	if err != nil {
		t.Fatal(err)
	}
	book, err := notes.Open(t.Context(), repo, tip)
	if err != nil {
		t.Fatal(err)
	}
	list, err := book.Commits(t.Context())
	if err != nil || len(list) != len(commits) {
		t.Fatal(err, list)
	}
	for _, c := range commits {
		text, err := book.Note(t.Context(), c)
		if err != nil || string(text) != string(note(t, c, "m")) {
			t.Errorf("%s: %v: %q", c, err, text)
		}
	}
}

// TestRenew: a note of ours is renewed where it is, in whichever layout; another program's is not.
func TestRenew(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	commits := ids(t, 3)
	blob := func(text string) git.OID {
		oid, err := repo.Writer().Blob([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return oid
	}
	foreign := strings.Replace(string(note(t, commits[2], "m")), "written_by", "by", 1)
	tree, err := repo.EditTree(t.Context(), git.OID{}, []git.Edit{
		{Path: commits[0].String(), Mode: git.ModeFile, OID: blob(string(note(t, commits[0], "old")))},
		{Path: "00/00/" + commits[1].String()[4:], Mode: git.ModeFile, OID: blob(string(note(t, commits[1], "m")))},
		{Path: "00/" + commits[2].String()[2:], Mode: git.ModeFile, OID: blob(foreign)}})
	if err != nil {
		t.Fatal(err)
	}
	who := repo.Identity(t.Context())
	tip, err := repo.Writer().Commit(git.Commit{Tree: tree, Author: who, Committer: who, Message: "notes\n"})
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.Writer().Sync(); err != nil {
		t.Fatal(err)
	}
	if err := repo.UpdateRefs(t.Context(), []git.RefUpdate{{Name: authorship.Ref, New: tip}}); err != nil {
		t.Fatal(err)
	}
	var wanted []notes.Wanted
	for _, c := range commits {
		wanted = append(wanted, notes.Wanted{Commit: c, Text: note(t, c, "m")})
	}
	done, err := notes.Sync(t.Context(), repo, authorship.Ref, wanted, time.Unix(1e9, 0), false)
	if err != nil || len(done.Renewed) != 1 || len(done.Same) != 1 || len(done.Foreign) != 1 || len(done.Written) != 0 {
		t.Fatal(err, done)
	}
	now, err := notes.Tip(t.Context(), repo, authorship.Ref)
	if err != nil {
		t.Fatal(err)
	}
	book, err := notes.Open(t.Context(), repo, now)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := book.Commits(t.Context()); err != nil || len(list) != 3 {
		t.Fatal(err, list)
	}
	if text, err := book.Note(t.Context(), commits[2]); err != nil || string(text) != foreign {
		t.Errorf("%v: %q", err, text)
	}
	if text, err := book.Note(t.Context(), commits[0]); err != nil || string(text) != string(note(t, commits[0], "m")) {
		t.Errorf("%v: %q", err, text)
	}
}

// TestAccepted: what comes after an acceptance is not accepted.
func TestAccepted(t *testing.T) {
	t.Parallel()
	repo := open(t, testrepo.New(t))
	commits := ids(t, 2)
	write := func(c git.OID) git.OID {
		if _, err := notes.Sync(t.Context(), repo, authorship.Ref, []notes.Wanted{{Commit: c, Text: note(t, c, "m")}}, time.Unix(1e9, 0), false); err != nil {
			t.Fatal(err)
		}
		tip, err := notes.Tip(t.Context(), repo, authorship.Ref)
		if err != nil {
			t.Fatal(err)
		}
		return tip
	}
	if book, err := notes.Accepted(t.Context(), repo); book != nil || err != nil {
		t.Fatal(book, err)
	}
	if err := notes.Accept(repo, authorship.Ref, write(commits[0]), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	write(commits[1])
	book, err := notes.Accepted(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := book.Note(t.Context(), commits[0]); err != nil || text == nil {
		t.Error(err, "the accepted note is not there")
	}
	if text, err := book.Note(t.Context(), commits[1]); err != nil || text != nil {
		t.Errorf("%v: a later note is accepted: %q", err, text)
	}
	if were, err := notes.Forget(repo); !were || err != nil {
		t.Error(were, err)
	}
	if book, err := notes.Accepted(t.Context(), repo); book != nil || err != nil {
		t.Error(book, err)
	}
}
