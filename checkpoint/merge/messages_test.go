package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/internal/checkpointtest"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/testrepo"
)

// someMessages are n messages of a session, each with size bytes of text.
func someMessages(sid string, n, size int) []agent.Message {
	list := make([]agent.Message, n)
	for i := range list {
		list[i] = agent.Message{UUID: fmt.Sprintf("%s-%d", sid, i+1), Role: agent.RoleUser, Content: fmt.Sprintf("%s says %d <&>", sid, i+1) + strings.Repeat("x", size)}
	}
	return list
}

// pack stores messages for a transcript with a content hash.
func pack(t testing.TB, w chunk.ObjectWriter, sid, transcript string, list []agent.Message) *metadata.Messages {
	t.Helper()
	var text bytes.Buffer
	for _, m := range list {
		line, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	var log chunk.Log
	if err := log.Append(w, nil, text.Bytes()); err != nil {
		t.Fatal(err)
	}
	blobs := log.Blobs()
	return &metadata.Messages{Chunks: blobs, Info: metadata.MessagesInfo{SessionID: sid, Agent: agent.AgentTypeClaudeCode, Title: "title of " + sid,
		MessageCount: len(list), Chunks: len(blobs), Size: log.Bytes, Hash: log.ContentHash(), Transcript: transcript}}
}

// withMessages gives a record messages of its transcript.
func (l *lab) withMessages(n int) func(*metadata.SessionRecord) {
	return func(rec *metadata.SessionRecord) {
		sid := rec.Metadata.SessionID
		rec.Messages = pack(l, l.repo.Writer(), sid, rec.ContentHash, someMessages(sid, n, 10))
	}
}

// talk opens the conversation that a tip has of a session in CpA.
func (l *lab) talk(tip git.OID, sid string) *records.OpenConversation {
	l.Helper()
	f := l.stored(tip, checkpointtest.CpA)
	for _, t := range records.Conversations(f) {
		if t.SessionID == sid {
			o, err := records.NewReader(l.repo).Open(l.Context(), t)
			if err != nil {
				l.Fatal(err)
			}
			return o
		}
	}
	return nil
}

// told is what can be read of a session in CpA: "stored" or "made", and the last
// message's UUID and how many there are.
func (l *lab) told(tip git.OID, sid string) string {
	l.Helper()
	o := l.talk(tip, sid)
	if o == nil {
		return "nothing"
	}
	n, last := 0, ""
	for m, err := range o.Messages(l.Context()) {
		if err != nil {
			return err.Error()
		}
		n, last = n+1, m.UUID
	}
	how := "stored"
	if o.Info == nil {
		how = "made"
	}
	return fmt.Sprintf("%s %d %s", how, n, last)
}

// TestMessagesOnDisk: beside the slot, named for it, and read back whole.
func TestMessagesOnDisk(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]testrepo.Option{"sha1": nil, "sha256": {testrepo.SHA256()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t, opts...)
			repo := checkpointtest.Open(t, r)
			want := someMessages("s2", 500, 900)
			one, two := checkpointtest.SessionRecord(t, repo, "s1", "{\"n\":1}\n"), checkpointtest.SessionRecord(t, repo, "s2", "{\"n\":2}\n")
			two.Messages = pack(t, repo.Writer(), "s2", two.ContentHash, want)
			checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, one, two))
			var beside []string
			for _, name := range strings.Fields(r.Git("ls-tree", "--name-only", shadow.MetadataBranch+":"+checkpointtest.CpA.Path())) {
				if strings.HasPrefix(name, "messages-") {
					beside = append(beside, name)
				}
			}
			if got := strings.Join(beside, " "); got != "messages-1.json messages-1.jsonl messages-1.jsonl.001 messages-1.jsonl.002 messages-1.jsonl.003" {
				t.Errorf("files %s", got)
			}
			r.Fsck()
			reader := records.NewReader(repo)
			roots, err := reader.State(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			talks, err := reader.Conversations(t.Context(), roots)
			if err != nil || len(talks) != 2 {
				t.Fatalf("talks %+v, %v", talks, err)
			}
			for _, talk := range talks {
				o, err := reader.Open(t.Context(), talk)
				if err != nil {
					t.Fatal(err)
				}
				if (o.Info != nil) != (talk.SessionID == "s2") || talk.Stored != (o.Info != nil) {
					t.Errorf("%s: stored %v, %+v", talk.SessionID, talk.Stored, o.Info)
				}
				var got []agent.Message
				for m, err := range o.Messages(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, m)
				}
				if talk.SessionID == "s2" && !slices.EqualFunc(got, want, func(a, b agent.Message) bool { return a.UUID == b.UUID && a.Content == b.Content }) {
					t.Errorf("%d messages back, want %d", len(got), len(want))
				}
			}
			bad := 0
			if err := reader.Verify(t.Context(), []id.CheckpointID{checkpointtest.CpA}, func(int) {}, func(cp id.CheckpointID, err error) { bad++; t.Error(err) }); err != nil || bad > 0 {
				t.Error(err, bad)
			}
		})
	}
}

// TestMessagesAreStoredOnce: what an earlier checkpoint of the session has, the
// next shares by object ID.
func TestMessagesAreStoredOnce(t *testing.T) {
	t.Parallel()
	store := checkpointtest.NewBlobs()
	all := someMessages("s", 4000, 300)
	log := chunk.Log{Limit: metadata.MessagesChunkSize}
	seen := map[git.OID]bool{}
	written, tails := 0, 0
	for n := 0; n < len(all); n += 100 {
		var text bytes.Buffer
		for _, m := range all[n : n+100] {
			line, _ := json.Marshal(m)
			text.Write(append(line, '\n'))
		}
		written += text.Len()
		if err := log.Append(store, store.Read, text.Bytes()); err != nil {
			t.Fatal(err)
		}
		blobs := log.Blobs()
		for _, oid := range blobs[:len(blobs)-1] {
			seen[oid] = true
		}
		tails += len(store.Data[blobs[len(blobs)-1]])
	}
	if len(seen) != len(log.Closed) {
		t.Errorf("%d closed chunks seen in 40 checkpoints, %d in the last", len(seen), len(log.Closed))
	}
	if store.Written > written+tails {
		t.Errorf("%d bytes stored of %d, tails %d", store.Written, written, tails)
	}
}

// TestMessagesFollowTheSession: whatever happens to a slot, its session's messages
// are found by whose they are, and nobody else's.
func TestMessagesFollowTheSession(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	at := checkpointtest.CpA.Path()
	one := l.session(git.OID{}, checkpointtest.CpA, "s1", 1, 0, l.withMessages(3))
	both := l.session(one, checkpointtest.CpA, "s2", 2, 1, l.withMessages(4))
	// moved is a slot, with all in it, under another number.
	moved := func(tip git.OID, from, to string) git.OID {
		e, _, err := l.repo.Reader(l.Context()).Path(treeOf(l, tip), at+"/"+from)
		if err != nil {
			t.Fatal(err)
		}
		return checkpointtest.CommitEdits(t, l.repo, tip, git.Edit{Path: at + "/" + from}, git.Edit{Path: at + "/" + to, Mode: e.Mode, OID: e.OID})
	}
	rewritten := l.file(l.file(both, at+"/0/full.jsonl", "{\"type\":\"user\",\"uuid\":\"u1\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}\n"),
		at+"/0/content_hash.txt", "sha256:"+strings.Repeat("0", 64))
	swapped := moved(moved(moved(both, "0", "7"), "1", "0"), "7", "1")
	for _, c := range []struct {
		name   string
		tip    git.OID
		s1, s2 string
	}{
		{"as written", both, "stored 3 s1-3", "stored 4 s2-4"},
		{"another tool rewrote a slot's transcript", rewritten, "made 1 u1", "stored 4 s2-4"},
		{"another tool gave the slots each other's numbers", swapped, "stored 3 s1-3", "stored 4 s2-4"},
		{"and one of them goes on", l.session(swapped, checkpointtest.CpA, "s2", 5, 2, l.withMessages(9)), "stored 3 s1-3", "stored 9 s2-9"},
		{"and the other, without messages", l.session(swapped, checkpointtest.CpA, "s1", 5, 2), "made 0 ", "stored 4 s2-4"},
		{"another tool dropped a slot", l.file(both, at+"/0", ""), "stored 3 s1-3", "stored 4 s2-4"},
		{"and a third session got its number", l.file(l.session(l.file(both, at+"/0", ""), checkpointtest.CpA, "s3", 1, 3, l.withMessages(2)), at+"/metadata.json", ""), "stored 3 s1-3", "stored 4 s2-4"},
		{"the transcript did not change", l.session(both, checkpointtest.CpA, "s1", 1, 5), "stored 3 s1-3", "stored 4 s2-4"},
		{"the transcript goes on, the messages are not known", l.session(both, checkpointtest.CpA, "s1", 2, 5), "made 0 ", "stored 4 s2-4"},
		{"its messages are lost", l.file(both, at+"/messages-0.json", ""), "made 0 ", "stored 4 s2-4"},
		{"a chunk is lost", l.file(both, at+"/messages-1.jsonl", ""), "stored 3 s1-3", "made 0 "},
		{"nonsense is there instead", l.file(both, at+"/messages-0.json", "{}"), "made 0 ", "stored 4 s2-4"},
		{"and is replaced", l.session(l.file(both, at+"/messages-0.json", "[]"), checkpointtest.CpA, "s1", 1, 5, l.withMessages(6)), "stored 6 s1-6", "stored 4 s2-4"},
		{"a folder has the name", l.file(l.file(both, at+"/messages-0.json", ""), at+"/messages-0.json/x", "1"), "made 0 ", "stored 4 s2-4"},
		{"somebody's longer messages were there before", l.file(both, at+"/messages-0.jsonl.001", "{\"uuid\":\"other\"}\n"), "stored 3 s1-3", "stored 4 s2-4"},
		{"they claim more chunks than there are", l.file(both, at+"/messages-0.json", `{"session_id":"s1","message_count":3,"chunks":9,"size":9,"transcript":"`+l.show(both, at+"/0/content_hash.txt")+`"}`), "made 0 ", "stored 4 s2-4"},
		{"they are another session's by their ID", l.file(both, at+"/messages-0.json", l.show(both, at+"/messages-1.json")), "made 0 ", "stored 4 s2-4"},
	} {
		if got := l.told(c.tip, "s1"); got != c.s1 {
			t.Errorf("%s: s1 is %q, want %q", c.name, got, c.s1)
		}
		if got := l.told(c.tip, "s2"); got != c.s2 {
			t.Errorf("%s: s2 is %q, want %q", c.name, got, c.s2)
		}
	}
}

// TestMessagesNumbers: they have their session's number again once it is written.
func TestMessagesNumbers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	at := checkpointtest.CpA.Path()
	both := l.session(l.session(git.OID{}, checkpointtest.CpA, "s1", 1, 0, l.withMessages(3)), checkpointtest.CpA, "s2", 2, 1, l.withMessages(4))
	// Another tool could not read the summary and began anew with s2 at 0.
	slot1, _, err := l.repo.Reader(t.Context()).Path(treeOf(l, both), at+"/1")
	if err != nil {
		t.Fatal(err)
	}
	anew := l.file(both, at+"/1", "")
	anew = checkpointtest.CommitEdits(t, l.repo, anew, git.Edit{Path: at + "/0", Mode: slot1.Mode, OID: slot1.OID})
	anew = l.file(anew, at+"/metadata.json",
		`{"checkpoint_id":"`+checkpointtest.CpA.String()+`","sessions":[{"metadata":"/`+at+`/0/metadata.json"}]}`)
	after := l.session(anew, checkpointtest.CpA, "s2", 3, 2, l.withMessages(8))
	if got := l.show(after, at+"/messages-0.json"); !strings.Contains(got, `"s2"`) {
		t.Errorf("number 0 is %s", got)
	}
	if got := l.told(after, "s1") + ", " + l.told(after, "s2"); got != "stored 3 s1-3, stored 8 s2-8" {
		t.Errorf("then %s", got)
	}
	again := l.session(after, checkpointtest.CpA, "s1", 1, 4, l.withMessages(5))
	if got := l.sessions(again, checkpointtest.CpA); got != "0:s2 1:s1" {
		t.Errorf("sessions %s", got)
	}
	if got := l.files(again); strings.Count(got, "messages-") != 4 || !strings.Contains(l.show(again, at+"/messages-1.json"), `"s1"`) {
		t.Errorf("files %s", got)
	}
}

func treeOf(l *lab, tip git.OID) git.OID {
	l.Helper()
	c, err := l.repo.Reader(l.Context()).Commit(tip)
	if err != nil {
		l.Fatal(err)
	}
	return c.Tree
}

// TestMergeMessages: sets are taken whole, whichever way round, and go with their
// sessions.
func TestMergeMessages(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	at := checkpointtest.CpA.Path()
	base := l.session(git.OID{}, checkpointtest.CpA, "s1", 2, 0, l.withMessages(3))
	finalised := func(tip git.OID, n, messages int) git.OID {
		rec := checkpointtest.SessionRecord(l, l.repo, "s1", strings.Repeat("{\"n\":1}\n", n))
		return l.must(metadata.BuildFinal(t.Context(), l.repo, tip, metadata.Finalization{ID: checkpointtest.CpA, Session: "s1", Transcript: rec.Transcript, ContentHash: rec.ContentHash,
			Messages: pack(t, l.repo.Writer(), "s1", rec.ContentHash, someMessages("s1", messages, 10)), Author: checkpointtest.Maker}))
	}
	two, three := l.session(base, checkpointtest.CpA, "s2", 1, 1, l.withMessages(4)), l.session(base, checkpointtest.CpA, "s3", 1, 2, l.withMessages(5))
	orphaned := l.file(two, at+"/1", "")
	for _, c := range []struct {
		name       string
		a, b       git.OID
		s1, s2, s3 string
	}{
		{"one side finalises", finalised(base, 5, 7), l.summary(base, checkpointtest.CpA, "s1", "x"), "stored 7 s1-7", "nothing", "nothing"},
		{"both finalise, one knows more", finalised(base, 5, 7), finalised(base, 9, 11), "stored 11 s1-11", "nothing", "nothing"},
		{"the longer transcript's messages count, be they fewer", finalised(base, 5, 99), finalised(base, 9, 11), "stored 11 s1-11", "nothing", "nothing"},
		{"each side adds a session", two, three, "stored 3 s1-3", "stored 4 s2-4", "stored 5 s3-5"},
		{"one of which finalises the other's", finalised(two, 5, 7), three, "stored 7 s1-7", "stored 4 s2-4", "stored 5 s3-5"},
		{"messages without a slot", orphaned, three, "stored 3 s1-3", "stored 4 s2-4", "stored 5 s3-5"},
		{"a side that knows no messages finalises", l.final(base, checkpointtest.CpA, "s1", 9), two, "made 0 ", "stored 4 s2-4", "nothing"},
		{"and the other side does, with less", l.final(base, checkpointtest.CpA, "s1", 9), finalised(base, 5, 7), "made 0 ", "nothing", "nothing"},
		{"an index that nobody can read goes with its number", l.file(two, at+"/messages-1.json", "?"), l.summary(two, checkpointtest.CpA, "s1", "x"), "stored 3 s1-3", "made 0 ", "nothing"},
	} {
		got := l.merge(c.a, c.b)
		for sid, want := range map[string]string{"s1": c.s1, "s2": c.s2, "s3": c.s3} {
			if told := l.told(got, sid); told != want {
				t.Errorf("%s: %s is %q, want %q", c.name, sid, told, want)
			}
		}
		for _, s := range l.stored(got, checkpointtest.CpA).Sets {
			slot, _ := l.stored(got, checkpointtest.CpA).Session(s.Info.SessionID)
			if s.Err == nil && slot != nil && slot.Number != s.Number {
				t.Errorf("%s: %s has slot %d and messages %d", c.name, s.Info.SessionID, slot.Number, s.Number)
			}
		}
	}
}

// TestDamagedMessagesAreFound by what doctor uses.
func TestDamagedMessagesAreFound(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := checkpointtest.Open(t, r)
	rec := checkpointtest.SessionRecord(t, repo, "s1", "{\"n\":1}\n")
	rec.Messages = pack(t, repo.Writer(), "s1", rec.ContentHash, someMessages("s1", 500, 900))
	at := checkpointtest.CpA.Path() + "/"
	for name, damage := range map[string]struct{ path, content, want string }{
		"a chunk is missing":  {"messages-0.jsonl.001", "", "messages-0.jsonl.001"},
		"the last is missing": {"messages-0.jsonl.003", "", "messages-0.jsonl.003"},
		"a chunk is another":  {"messages-0.jsonl.001", `{"uuid":"x","role":"user","content":""}`, "has hash"},
		"a line is none":      {"messages-0.jsonl.001", "torn", "message in line"},
		"the index is none":   {"messages-0.json", "torn", "messages-0.json"},
		"the index is empty":  {"messages-0.json", "{}", "messages-0.json"},
		"a hostile ID":        {"messages-0.json", `{"session_id":"../../x","message_count":1,"chunks":1,"size":1}`, "messages-0.json"},
		"a hostile size":      {"messages-0.json", `{"session_id":"s1","message_count":1,"chunks":1000000000,"size":1}`, "messages-0.json"},
	} {
		checkpointtest.Write(t, repo, checkpointtest.Record(checkpointtest.CpA, rec))
		checkpointtest.Put(t, repo, at+damage.path, damage.content)
		var found []error
		if err := records.NewReader(repo).Verify(t.Context(), []id.CheckpointID{checkpointtest.CpA}, func(int) {}, func(_ id.CheckpointID, err error) { found = append(found, err) }); err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || !strings.Contains(errors.Join(found...).Error(), damage.want) {
			t.Errorf("%s: found %v", name, found)
		}
		checkpointtest.Put(t, repo, at+damage.path, "")
	}
}
