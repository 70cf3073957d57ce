package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

const metadataBranch = "refs/heads/entire/checkpoints/v1"

// try asks git something where the script stands, or in the row's repository if
// that is elsewhere, in an environment without the script's own variables.
func (sc *scenario) try(ts *testscript.TestScript, args ...string) (string, error) {
	return sc.feed(ts, "", "git", args...)
}

func (sc *scenario) out(ts *testscript.TestScript, args ...string) string {
	out, err := sc.try(ts, args...)
	if err != nil {
		ts.Fatalf("git %q: %v", args, err)
	}
	return out
}

func (sc *scenario) feed(ts *testscript.TestScript, stdin, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	var out, errs bytes.Buffer
	dir := ts.MkAbs(".")
	if !strings.HasPrefix(dir, sc.root) {
		dir = filepath.Join(sc.root, "repo")
	}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, sc.environ, strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 && program == "entire" {
		return out.String(), fmt.Errorf("%w: %s", err, errs.String())
	}
	return out.String(), nil
}

// ids are the checkpoints that git finds in the trailers of a commit.
func (sc *scenario) ids(ts *testscript.TestScript, commit string) []string {
	return strings.Fields(sc.out(ts, "log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)", commit))
}

func cmdLinked(ts *testscript.TestScript, args []string) {
	sc := of(ts)
	wants := splitAt(args[1:], "+")
	trailers, body, _ := strings.Cut(sc.out(ts, "log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly)%x00%B", args[0]), "\x00")
	ids := strings.Fields(trailers)
	mentioned := mention.FindAllString(body, -1) // a squashed message has those of its parts in the middle
	slices.Sort(mentioned)
	if len(ids) != len(wants) || len(slices.Compact(mentioned)) != len(ids) {
		ts.Fatalf("%s has %d checkpoints, want %d:\n%s", args[0], len(ids), len(wants), body)
	}
	for i, id := range ids {
		var got []string
		for _, s := range sc.slots(ts, id) {
			got = append(got, s.String())
		}
		slices.Sort(got)
		slices.Sort(wants[i])
		if !slices.Equal(got, wants[i]) {
			ts.Fatalf("checkpoint %s of %s holds %q, want %q", id, args[0], got, wants[i])
		}
	}
}

var mention = regexp.MustCompile(`Entire-Checkpoint: .*`)

func splitAt(list []string, mark string) (parts [][]string) {
	parts = [][]string{nil}
	for _, s := range list {
		if s == mark {
			parts = append(parts, nil)
		} else {
			parts[len(parts)-1] = append(parts[len(parts)-1], s)
		}
	}
	return parts
}

// slot is a session in a stored checkpoint.
type slot struct {
	session, transcript string
	files               []string
}

func (s slot) String() string { return s.session + ":" + strings.Join(s.files, ",") }

// slots reads a checkpoint. What it says of itself must fit together.
func (sc *scenario) slots(ts *testscript.TestScript, id string) (slots []slot) {
	dir := metadataBranch + ":" + id[:2] + "/" + id[2:] + "/"
	const most = 10
	var ask strings.Builder
	ask.WriteString(dir + "metadata.json\n")
	for i := range most {
		for _, name := range []string{"metadata.json", "full.jsonl", "content_hash.txt", "prompt.txt"} {
			fmt.Fprintf(&ask, "%s%d/%s\n", dir, i, name)
		}
	}
	out, err := sc.feed(ts, ask.String(), "git", "cat-file", "--batch")
	ts.Check(err)
	blobs := batchBlobs(out)
	root := blobs[0]
	var union []string
	for i := range int(gjson.Get(root, "sessions.#").Int()) {
		meta, full, hash, prompts := blobs[4*i+1], blobs[4*i+2], blobs[4*i+3], blobs[4*i+4]
		s := slot{session: gjson.Get(meta, "session_id").String(), transcript: full, files: texts(meta, "files_touched")}
		sum := sha256.Sum256([]byte(full))
		if full == "" || hash != "sha256:"+hex.EncodeToString(sum[:]) || prompts == "" || gjson.Get(meta, "checkpoint_id").String() != id ||
			!strings.Contains(full, `"sessionId":"`+s.session+`"`) {
			ts.Fatalf("checkpoint %s: slot %d does not fit together: %s", id, i, meta)
		}
		slots, union = append(slots, s), append(union, s.files...)
	}
	slices.Sort(union)
	if listed := texts(root, "files_touched"); !slices.Equal(listed, slices.Compact(union)) || gjson.Get(root, "checkpoint_id").String() != id {
		ts.Fatalf("checkpoint %s lists %q, its sessions %q", id, listed, union)
	}
	return slots
}

// batchBlobs parses what git cat-file --batch answers; what is missing is "".
func batchBlobs(out string) (blobs []string) {
	for out != "" {
		head, rest, _ := strings.Cut(out, "\n")
		words := strings.Fields(head)
		n, err := strconv.Atoi(words[len(words)-1])
		if err != nil { // "… missing"
			blobs, out = append(blobs, ""), rest
			continue
		}
		blobs, out = append(blobs, rest[:n]), rest[n+1:]
	}
	return blobs
}

func texts(document, path string) (list []string) {
	for _, v := range gjson.Get(document, path).Array() {
		list = append(list, v.String())
	}
	return list
}

func cmdUnlinked(ts *testscript.TestScript, args []string) {
	if body := of(ts).out(ts, "log", "-1", "--format=%B", args[0]); strings.Contains(body, "Entire-") {
		ts.Fatalf("%s is linked:\n%s", args[0], body)
	}
}

func cmdCheckpoint(ts *testscript.TestScript, args []string) {
	ids := of(ts).ids(ts, args[1])
	if len(ids) != 1 {
		ts.Fatalf("%s has %d checkpoints", args[1], len(ids))
	}
	ts.Setenv(args[0], ids[0])
}

func cmdTrailers(ts *testscript.TestScript, args []string) {
	if got := of(ts).ids(ts, args[0]); !slices.Equal(got, args[1:]) {
		ts.Fatalf("%s has the checkpoints %q, want %q", args[0], got, args[1:])
	}
}

func cmdTalk(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] talk COMMIT SESSION TEXT")
	}
	sc, found := of(ts), false
	for _, id := range sc.ids(ts, args[0]) {
		for _, s := range sc.slots(ts, id) {
			found = found || s.session == args[1] && strings.Contains(s.transcript, args[2])
		}
	}
	if found == neg {
		ts.Fatalf("the transcript of %s in %s: %q found: %v", args[1], args[0], args[2], found)
	}
}

// state is a session's state file.
func (sc *scenario) state(ts *testscript.TestScript, session string) string {
	dir := sc.gitDir(ts)
	if common, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		dir = filepath.Join(dir, strings.TrimSpace(string(common)))
	}
	return ts.ReadFile(filepath.Join(dir, "entire-sessions", session+".json"))
}

func cmdPending(ts *testscript.TestScript, args []string) {
	want := args[1:]
	if slices.Equal(want, []string{"none"}) {
		want = nil
	}
	got := texts(of(ts).state(ts, args[0]), "files_touched")
	if !slices.Equal(got, want) {
		ts.Fatalf("%s has pending %q, want %q", args[0], got, want)
	}
}

func cmdPhase(ts *testscript.TestScript, args []string) {
	if got := gjson.Get(of(ts).state(ts, args[0]), "phase").String(); got != args[1] {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

// refs are those below the prefixes, the metadata branch left out.
func (sc *scenario) refs(ts *testscript.TestScript, prefixes ...string) []string {
	return slices.DeleteFunc(strings.Fields(sc.out(ts, append([]string{"for-each-ref", "--format=%(refname)"}, prefixes...)...)),
		func(ref string) bool { return ref == metadataBranch })
}

func cmdBranches(ts *testscript.TestScript, args []string) {
	if got := of(ts).refs(ts, "refs/heads/entire/"); strconv.Itoa(len(got)) != args[0] {
		ts.Fatalf("shadow branches are %q, want %s", got, args[0])
	}
}

var rootFile = regexp.MustCompile(`(?m)^[0-9a-f]{2}/[0-9a-f]{10}/metadata\.json$`)

func cmdStored(ts *testscript.TestScript, args []string) {
	list, _ := of(ts).try(ts, "ls-tree", "-r", "--full-tree", "--name-only", metadataBranch)
	if got := len(rootFile.FindAllString(list, -1)); strconv.Itoa(got) != args[0] {
		ts.Fatalf("%d checkpoints are stored, want %s", got, args[0])
	}
}

func (sc *scenario) status(ts *testscript.TestScript) string {
	out, err := sc.feed(ts, "", "entire", "status", "--json")
	ts.Check(err)
	return out
}

func cmdProblem(ts *testscript.TestScript, args []string) {
	if problems := gjson.Get(of(ts).status(ts), "problems").String(); !regexp.MustCompile(args[0]).MatchString(problems) {
		ts.Fatalf("status names %s, want %s", problems, args[0])
	}
}

func cmdSettled(ts *testscript.TestScript, args []string) {
	sc := of(ts)
	cmdStored(ts, args[:1])
	thrown := "0"
	if len(args) > 1 {
		thrown = args[1]
	}
	refs := sc.refs(ts, "refs/heads/entire/", "refs/entire/")
	if i := slices.IndexFunc(refs, func(ref string) bool { return strings.HasPrefix(ref, "refs/heads/") }); i >= 0 {
		ts.Fatalf("a shadow branch is left: %s", refs[i])
	}
	left := slices.DeleteFunc(refs, func(ref string) bool { return strings.HasPrefix(ref, "refs/entire/turns/") })
	kept := slices.DeleteFunc(slices.Clone(left), func(ref string) bool { return !strings.HasPrefix(ref, "refs/entire/undo/") })
	if strconv.Itoa(len(kept)) != thrown || len(left) != len(kept) {
		ts.Fatalf("left over: %q, want %s for an undo", left, thrown)
	}
	status := sc.status(ts)
	if p := gjson.Get(status, "problems").String(); p != "[]" {
		ts.Fatalf("status has problems: %s", p)
	}
	if p := gjson.Get(status, "sessions.#.files_pending|@flatten").String(); p != "[]" {
		ts.Fatalf("files are pending: %s", p)
	}
	// Git alone writes graphs and indexes of many packs: fsck need not start two processes for them.
	if out, err := sc.try(ts, "-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false", "fsck", "--strict", "--no-dangling", "--no-progress"); err != nil || strings.TrimSpace(out) != "" {
		ts.Fatalf("git fsck: %s %v", out, err)
	}
}
