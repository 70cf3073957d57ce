package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// try asks git something where the script stands, in an environment without the
// script's own variables.
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
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), sc.environ, strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil {
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
	ids := sc.ids(ts, args[0])
	wants := splitAt(args[1:], "+")
	if len(ids) != len(wants) {
		ts.Fatalf("%s has %d checkpoints, want %d:\n%s", args[0], len(ids), len(wants), sc.out(ts, "log", "-1", "--format=%B", args[0]))
	}
	if n := strings.Count(sc.out(ts, "log", "-1", "--format=%B", args[0]), "Entire-Checkpoint"); n != len(ids) {
		ts.Fatalf("%s mentions %d checkpoints, git finds %d", args[0], n, len(ids))
	}
	for i, id := range ids {
		got := sc.slots(ts, id)
		slices.Sort(wants[i])
		if !slices.Equal(got, wants[i]) {
			ts.Fatalf("checkpoint %s of %s holds %q, want %q", id, args[0], got, wants[i])
		}
	}
}

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

// slots are a stored checkpoint's sessions, each with its files. What the
// checkpoint says of itself must fit together.
func (sc *scenario) slots(ts *testscript.TestScript, id string) []string {
	dir := metadataBranch + ":" + id[:2] + "/" + id[2:] + "/"
	root := sc.out(ts, "cat-file", "blob", dir+"metadata.json")
	var slots, union []string
	for i := range gjson.Get(root, "sessions.#").Int() {
		slot := dir + strconv.FormatInt(i, 10) + "/"
		meta := sc.out(ts, "cat-file", "blob", slot+"metadata.json")
		var files []string
		for _, f := range gjson.Get(meta, "files_touched").Array() {
			files = append(files, f.String())
		}
		union = append(union, files...)
		session := gjson.Get(meta, "session_id").String()
		slots = append(slots, session+":"+strings.Join(files, ","))
		full := sc.out(ts, "cat-file", "blob", slot+"full.jsonl")
		sum := sha256.Sum256([]byte(full))
		if hash := sc.out(ts, "cat-file", "blob", slot+"content_hash.txt"); full == "" || hash != "sha256:"+hex.EncodeToString(sum[:]) {
			ts.Fatalf("%s: the transcript does not fit its hash", slot)
		}
		if !strings.Contains(full, `"sessionId":"`+session+`"`) || sc.out(ts, "cat-file", "blob", slot+"prompt.txt") == "" {
			ts.Fatalf("%s: not the conversation of %s", slot, session)
		}
		if gjson.Get(meta, "checkpoint_id").String() != id {
			ts.Fatalf("%s is of another checkpoint", slot)
		}
	}
	slices.Sort(union)
	union = slices.Compact(union)
	var listed []string
	for _, f := range gjson.Get(root, "files_touched").Array() {
		listed = append(listed, f.String())
	}
	if !slices.Equal(listed, union) {
		ts.Fatalf("checkpoint %s lists %q, its sessions %q", id, listed, union)
	}
	slices.Sort(slots)
	return slots
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
		for i, slot := range sc.slotNames(ts, id) {
			if slot == args[1] {
				full := sc.out(ts, "cat-file", "blob", fmt.Sprintf("%s:%s/%s/%d/full.jsonl", metadataBranch, id[:2], id[2:], i))
				found = found || strings.Contains(full, args[2])
			}
		}
	}
	if found == neg {
		ts.Fatalf("the transcript of %s in %s: %q found: %v", args[1], args[0], args[2], found)
	}
}

func (sc *scenario) slotNames(ts *testscript.TestScript, id string) (names []string) {
	dir := metadataBranch + ":" + id[:2] + "/" + id[2:] + "/"
	for i := range gjson.Get(sc.out(ts, "cat-file", "blob", dir+"metadata.json"), "sessions.#").Int() {
		names = append(names, gjson.Get(sc.out(ts, "cat-file", "blob", fmt.Sprintf("%s%d/metadata.json", dir, i)), "session_id").String())
	}
	return names
}

// state is a session's state file.
func (sc *scenario) state(ts *testscript.TestScript, session string) string {
	dir := strings.TrimSpace(sc.out(ts, "rev-parse", "--path-format=absolute", "--git-common-dir"))
	return ts.ReadFile(filepath.Join(dir, "entire-sessions", session+".json"))
}

func cmdPending(ts *testscript.TestScript, args []string) {
	want := args[1:]
	if slices.Equal(want, []string{"none"}) {
		want = nil
	}
	var got []string
	for _, f := range gjson.Get(of(ts).state(ts, args[0]), "files_touched").Array() {
		got = append(got, f.String())
	}
	if !slices.Equal(got, want) {
		ts.Fatalf("%s has pending %q, want %q", args[0], got, want)
	}
}

func cmdPhase(ts *testscript.TestScript, args []string) {
	if got := gjson.Get(of(ts).state(ts, args[0]), "phase").String(); got != args[1] {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

// refs are those below a prefix, the metadata branch left out.
func (sc *scenario) refs(ts *testscript.TestScript, prefix string) []string {
	return slices.DeleteFunc(strings.Fields(sc.out(ts, "for-each-ref", "--format=%(refname)", prefix)),
		func(ref string) bool { return ref == metadataBranch })
}

func cmdBranches(ts *testscript.TestScript, args []string) {
	if got := of(ts).refs(ts, "refs/heads/entire/"); strconv.Itoa(len(got)) != args[0] {
		ts.Fatalf("shadow branches are %q, want %s", got, args[0])
	}
}

var rootFile = regexp.MustCompile(`(?m)^[0-9a-f]{2}/[0-9a-f]{10}/metadata\.json$`)

func cmdStored(ts *testscript.TestScript, args []string) {
	list, _ := of(ts).try(ts, "ls-tree", "-r", "--name-only", metadataBranch)
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
	cmdStored(ts, args)
	cmdBranches(ts, []string{"0"})
	if left := sc.refs(ts, "refs/entire/"); len(left) > 0 {
		ts.Fatalf("left over: %q", left)
	}
	status := sc.status(ts)
	if p := gjson.Get(status, "problems").String(); p != "[]" {
		ts.Fatalf("status has problems: %s", p)
	}
	if p := gjson.Get(status, "sessions.#.files_pending|@flatten").String(); p != "[]" {
		ts.Fatalf("files are pending: %s", p)
	}
	if out, err := sc.try(ts, "fsck", "--strict", "--no-dangling", "--no-progress"); err != nil || strings.TrimSpace(out) != "" {
		ts.Fatalf("git fsck: %s %v", out, err)
	}
}
