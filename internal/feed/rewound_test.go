package feed

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/session"
)

// history is everything that was ever said.
func (l *lab) history() []session.Message {
	l.t.Helper()
	store := session.OpenStore(l.base)
	defer store.Close()
	var out []session.Message
	for m, err := range store.History(l.t.Context(), l.sid.String()) {
		if err != nil {
			l.t.Fatal(err)
		}
		if m.Rewind == nil {
			out = append(out, m.Message)
		}
	}
	return out
}

// stream is the agent's own, as the conversation has it.
func (l *lab) stream() string {
	l.t.Helper()
	store := session.OpenStore(l.base)
	defer store.Close()
	var out strings.Builder
	for m, err := range store.SDKMessages(l.t.Context(), l.sid.String()) {
		if err != nil {
			l.t.Fatal(err)
		}
		out.Write(m)
		out.WriteByte('\n')
	}
	return out.String()
}

// shape is how an agent writes what is said.
type shape struct {
	kind agent.AgentType
	say  func(l *lab, texts []string) string // the whole transcript
}

func shapes() map[string]shape {
	gemini := func(text string, i int) string {
		kind := []string{"user", "gemini"}[i%2]
		return fmt.Sprintf(`{"id":"%s-%d","type":%q,"content":[{"text":%q}]}`, strings.ReplaceAll(text, " ", "-"), i, kind, text)
	}
	return map[string]shape{
		"claude": {agent.AgentTypeClaudeCode, func(l *lab, texts []string) string {
			var out strings.Builder
			now := l.now
			l.last, l.now = "", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			for i, text := range texts {
				h := fnv.New32a()
				h.Write([]byte(strings.Join(texts[:i+1], "")))
				l.n = int(h.Sum32()) &^ 7 // a record's name is that of its place in the conversation
				out.Write(l.exchange(text))
			}
			l.now = now
			return out.String()
		}},
		"no names": {"Robot", func(_ *lab, texts []string) string {
			var out strings.Builder
			for _, text := range texts {
				fmt.Fprintf(&out, "{\"role\":\"user\",  \"content\":%q}\n{\"role\":\"assistant\",\"content\":\"continue\"}\n", text)
			}
			return out.String()
		}},
		"gemini lines": {agent.AgentTypeGemini, func(_ *lab, texts []string) string {
			out := `{"sessionId":"x","startTime":"2026-08-21T10:11:05.000Z","kind":"main"}` + "\n"
			for i := range texts {
				text := strings.Join(texts[:i+1], "")
				out += gemini(text, 0) + "\n" + gemini(text, 1) + "\n"
			}
			return out
		}},
		"gemini document": {agent.AgentTypeGemini, func(_ *lab, texts []string) string {
			var list []string
			for i := range texts {
				text := strings.Join(texts[:i+1], "")
				list = append(list, gemini(text, 0), gemini(text, 1))
			}
			return "{\n \"sessionId\": \"x\", \"messages\": [\n  " + strings.Join(list, ",\n  ") + "\n ]\n}\n"
		}},
	}
}

// TestConversationTakenBack: the store follows a transcript back and forth. Its
// conversation is what the transcript says, and everything that was ever said is in
// it once.
func TestConversationTakenBack(t *testing.T) {
	t.Parallel()
	days := map[string][]string{ // each word is what stands in the transcript at an event
		"back":                     {"a", "ab", "abc", "a"},
		"back and on":              {"abc", "a", "ad", "ade"},
		"on before it was told":    {"abc", "ad"},
		"back and forth":           {"abc", "a", "abc", "abcd"},
		"forth and on at once":     {"abc", "a", "abcd"},
		"another way and forth":    {"abc", "a", "ad", "abc", "ad", "abce", "ade"},
		"back twice":               {"abcd", "abc", "a", "ab", "abcd", "abe"},
		"the same again":           {"aaaa", "aa", "aaa", "aaab", "aaaa", "aab", "aabb"},
		"nothing new in between":   {"abc", "a", "a", "a", "ad", "ad"},
		"further than it had been": {"abc", "ab", "abcde", "abcd", "abcdef"},
	}
	for name, sh := range shapes() {
		for what, day := range days {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.kind = sh.kind
				if name == "gemini document" {
					l.path = strings.TrimSuffix(l.path, "l")
				}
				if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
					t.Fatal(err)
				}
				ever := map[string]bool{}
				for i, word := range day {
					text := sh.say(l, strings.Split(word, ""))
					if err := os.WriteFile(l.path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					for range 2 {
						l.event(agent.TurnEnd)
						l.holds(text, fmt.Sprintf("event %d, %s", i, word))
					}
					for n := range word {
						ever[word[:n+1]] = true
					}
				}
				per := 2
				if name == "claude" {
					per = 3
				}
				if got := len(l.history()); got != per*len(ever) {
					t.Errorf("%d messages ever, want %d", got, per*len(ever))
				}
				names := strings.Fields(uuids(l.history()))
				slices.Sort(names)
				if n := len(slices.Compact(slices.Clone(names))); n != len(names) {
					t.Errorf("names are not unique: %q", names)
				}
			})
		}
	}
}

// holds checks that the conversation is what the transcript says.
func (l *lab) holds(text, when string) {
	l.t.Helper()
	want := conversation.Normalize(l.kind, []byte(text))
	got := l.messages()
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = got[i].Content == want[i].Content && got[i].Role == want[i].Role
	}
	if !same {
		l.t.Errorf("%s: conversation\n%s\nwant\n%s", when, uuids(got), uuids(want))
	}
	if s := l.stream(); s != text && s != text+"\n" {
		l.t.Errorf("%s: stream\n%s\nwant\n%s", when, s, text)
	}
	parents := map[string]bool{"": true}
	for _, m := range got {
		if !parents[m.ParentUUID] {
			l.t.Errorf("%s: %s follows %s, which is not there", when, m.UUID, m.ParentUUID)
		}
		parents[m.UUID] = true
	}
	if m := l.metadata(); m.MessageCount != len(got) || len(got) > 0 && m.LastMessage != got[len(got)-1].UUID {
		l.t.Errorf("%s: %d messages counted, %d there", when, m.MessageCount, len(got))
	}
}

// TestOldCopyIsNoRewind: a copy of a transcript that is taken in says nothing of
// where the conversation is, and what it has is not stored again.
func TestOldCopyIsNoRewind(t *testing.T) {
	t.Parallel()
	for name, sh := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.kind = sh.kind
			if name == "gemini document" {
				l.path = strings.TrimSuffix(l.path, "l")
			}
			own, whole := l.path, sh.say(l, []string{"a", "b", "c"})
			at := func(path, text string) {
				t.Helper()
				l.path = path
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				l.event(agent.TurnEnd)
			}
			at(own, whole)
			was := uuids(l.messages())
			at(filepath.Join(t.TempDir(), "copy"), sh.say(l, []string{"a"}))
			at(own, whole)
			if got := uuids(l.messages()); got != was || uuids(l.history()) != was {
				t.Errorf("was %s\nis  %s", was, got)
			}
			whole = sh.say(l, []string{"a", "b", "c", "d"})
			at(own, whole)
			l.holds(whole, "after going on")
		})
	}
}

// TestKilledWhileItWasTakenBack goes through the states in which a kill can leave a
// session whose transcript was taken back, and went on.
func TestKilledWhileItWasTakenBack(t *testing.T) {
	t.Parallel()
	for name, sh := range shapes() {
		if name == "gemini document" {
			continue // the store's copy is replaced whole
		}
		for _, word := range []string{"a", "ad", "abc", "abcd"} {
			t.Run(name+" "+word, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.kind = sh.kind
				at := func(word string) string {
					t.Helper()
					text := sh.say(l, strings.Split(word, ""))
					if err := os.WriteFile(l.path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					l.event(agent.TurnEnd)
					return text
				}
				if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
					t.Fatal(err)
				}
				at("abc")
				if word[1:] != "" && word[1] == 'b' { // and forth again
					at("a")
				}
				logs := []string{filepath.Join(l.dir(), "transcript.jsonl"), filepath.Join(l.dir(), "messages.jsonl")}
				old := map[string][]byte{}
				for _, f := range append(slices.Clone(logs), filepath.Join(l.dir(), positionName), filepath.Join(l.dir(), "metadata.json")) {
					old[f] = l.read(f)
				}
				text := at(word)
				whole := map[string][]byte{logs[0]: l.read(logs[0]), logs[1]: l.read(logs[1])}
				rng := rand.New(rand.NewPCG(5, 6))
				for i := range 40 {
					for f, data := range old {
						if err := os.WriteFile(f, data, 0o600); err != nil {
							t.Fatal(err)
						}
					}
					for n, f := range logs { // the stream is written before the messages
						added := len(whole[f]) - len(old[f])
						cut := added * (1 - n)
						if n == i%2 {
							cut = rng.IntN(added + 1)
						}
						if err := os.WriteFile(f, whole[f][:len(old[f])+cut], 0o600); err != nil {
							t.Fatal(err)
						}
					}
					l.event(agent.TurnEnd)
					l.holds(text, fmt.Sprintf("round %d", i))
					if t.Failed() {
						t.FailNow()
					}
				}
			})
		}
	}
}
