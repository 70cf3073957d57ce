//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/checkpoint/epoch"
	"entire/id"
	"entire/internal/git"
)

const (
	months     = 24
	developers = 1000
	branchRef  = "refs/heads/entire/checkpoints/v1"
)

// A checkpoint is one of the simulated developers' checkpoints.
type checkpoint struct {
	id, session, author string
	at                  time.Time
	prompt, transcript  string
}

// A maker makes checkpoints; the same seed makes the same ones.
type maker struct {
	rnd   *rand.Rand
	words []string
}

func newMaker() *maker {
	m := &maker{rnd: rand.New(rand.NewPCG(30, 30))}
	for range 4000 {
		var w strings.Builder
		for range 2 + m.rnd.IntN(8) {
			w.WriteByte(byte('a' + m.rnd.IntN(26)))
		}
		m.words = append(m.words, w.String())
	}
	return m
}

func (m *maker) sentence(n int) string {
	w := make([]string, n)
	for i := range w {
		w[i] = m.words[m.rnd.IntN(len(m.words))]
	}
	return strings.Join(w, " ")
}

// next makes the i-th of n checkpoints, which are spread over the months.
func (m *maker) next(i, n int) checkpoint {
	c := checkpoint{id: fmt.Sprintf("%012x", m.rnd.Uint64()&0xffffffffffff), author: fmt.Sprintf("Dev %d <dev%d@example.com>", i%developers, i%developers)}
	c.session = fmt.Sprintf("%08x-%04x-4000-8000-%012x", m.rnd.Uint32(), m.rnd.IntN(1<<16), i)
	c.at = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(float64(i) / float64(n) * months * 30.4 * 24 * float64(time.Hour)))
	c.prompt = "Please " + m.sentence(9)
	c.transcript = fmt.Sprintf(`{"type":"user","uuid":"%s-a","sessionId":"%s","message":{"role":"user","content":%q}}`, c.id, c.session, c.prompt) + "\n" +
		fmt.Sprintf(`{"type":"assistant","uuid":"%s-b","sessionId":"%s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":%q}]}}`, c.id, c.session, m.sentence(40)) + "\n"
	return c
}

// stream writes what `git fast-import` reads.
type stream struct{ w *bufio.Writer }

func (s stream) commit(ref, author string, at time.Time, message string) {
	s.marked(ref, 0, author, at, message)
}

// marked is commit with a mark, 0 for none.
func (s stream) marked(ref string, mark int, author string, at time.Time, message string) {
	fmt.Fprintf(s.w, "commit %s\n", ref)
	if mark > 0 {
		fmt.Fprintf(s.w, "mark :%d\n", mark)
	}
	fmt.Fprintf(s.w, "author %s %d +0000\ncommitter %s %d +0000\ndata %d\n%s\n", author, at.Unix(), author, at.Unix(), len(message), message)
}

func (s stream) file(path, text string) {
	fmt.Fprintf(s.w, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
}

func (s stream) files(dir string, c checkpoint) {
	common := fmt.Sprintf(`"checkpoint_id":"%s","strategy":"manual-commit","branch":"main","checkpoints_count":1,"files_touched":["a.txt"]`, c.id)
	root := "/" + c.id[:2] + "/" + c.id[2:]
	s.file(dir+"metadata.json", fmt.Sprintf(`{%s,"sessions":[{"metadata":"%[2]s/0/metadata.json","transcript":"%[2]s/0/full.jsonl","context":"","content_hash":"","prompt":"%[2]s/0/prompt.txt"}]}`, common, root))
	s.file(dir+"0/metadata.json", fmt.Sprintf(`{%s,"session_id":"%s","created_at":"%s","agent":"Claude Code"}`, common, c.session, c.at.Format(time.RFC3339)))
	s.file(dir+"0/full.jsonl", c.transcript)
	s.file(dir+"0/prompt.txt", c.prompt)
}

// fill makes the checkpoints of a bare repository, and a branch main of commits that name the last of them.
func (l *lab) fill(bare string, n int, layout string) error {
	var rows map[epoch.Month][]epoch.Row
	var names []string // of refs, in the order of their marks
	err := l.fastImport(bare, func(s stream) {
		m := newMaker()
		rows = map[epoch.Month][]epoch.Row{}
		last := epoch.Month("")
		for i := range n {
			c := m.next(i, n)
			if layout == "refs" {
				ulid, err := id.GenerateULID(c.at)
				if err != nil {
					panic(err) // the random source of the system has failed
				}
				c.id = ulid.String()
			}
			message := fmt.Sprintf("Checkpoint: %s\n\nEntire-Session: %s\nEntire-Strategy: manual-commit\nEntire-Agent: Claude Code\n", c.id, c.session)
			folder := c.id[:2] + "/" + c.id[2:] + "/"
			switch layout {
			case "branch":
				s.commit(branchRef, c.author, c.at, message)
				s.files(folder, c)
			case "refs":
				names = append(names, "refs/entire/checkpoints/"+c.id[len(c.id)-2:]+"/"+c.id)
				fmt.Fprintf(s.w, "reset %s\n", importRef) // each begins anew
				s.marked(importRef, len(names), c.author, c.at, message)
				s.files("", c)
			case "epochs":
				month := epoch.MonthOf(c.at)
				if stored := n < l.hollow || i >= n-100; stored {
					if month != last {
						s.commit("refs/import/"+string(month), c.author, c.at, "import\n")
						last = month
					}
					s.files(folder, c)
				}
				cp := id.MustCheckpointID(c.id)
				rows[month] = append(rows[month], epoch.Row{ID: cp, Bytes: int64(len(c.transcript) + len(c.prompt)), First: c.at, Last: c.at, Author: c.author, Sessions: []string{c.session}})
			}
			if i >= n-100 {
				defer func() {
					s.commit("refs/heads/main", c.author, c.at, fmt.Sprintf("Work %d\n\nEntire-Checkpoint: %s\n", i, c.id))
					s.file("a.txt", fmt.Sprintln(i))
				}()
			}
		}
	})
	if err == nil && layout == "epochs" {
		err = l.seal(bare, rows, n >= l.hollow)
	}
	if err == nil {
		_, err = l.do(bare, "git", "pack-refs", "--all")
	}
	if err == nil && layout == "refs" {
		err = l.packRefs(bare, names)
	}
	return err
}

// importRef is the ref that commits are imported to which get a ref of their own later.
const importRef = "refs/import/one"

// packRefs writes the refs of marked commits into packed-refs: git would write a file for each first.
func (l *lab) packRefs(bare string, names []string) error {
	marks, err := os.ReadFile(filepath.Join(bare, marksName))
	if err != nil {
		return err
	}
	packed, err := os.ReadFile(filepath.Join(bare, "packed-refs"))
	if err != nil {
		return err
	}
	lines := []string{}
	for line := range strings.Lines(string(packed)) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, importRef) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	for line := range strings.Lines(string(marks)) {
		mark, oid, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(strings.TrimPrefix(mark, ":"))
		if err != nil || n < 1 || n > len(names) {
			return fmt.Errorf("mark %q", line)
		}
		lines = append(lines, oid+" "+names[n-1])
	}
	slices.SortFunc(lines, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, ' '):], b[strings.IndexByte(b, ' '):])
	})
	text := "# pack-refs with: peeled fully-peeled sorted \n" + strings.Join(lines, "\n") + "\n"
	return os.WriteFile(filepath.Join(bare, "packed-refs"), []byte(text), 0o644)
}

// marksName is a file in the repository with the marks of the last import.
const marksName = "import-marks"

func (l *lab) fastImport(bare string, write func(stream)) error {
	cmd := exec.Command("git", "fast-import", "--quiet", "--export-marks="+marksName)
	cmd.Dir, cmd.Env = bare, l.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriterSize(in, 1<<20)
	write(stream{w})
	if err := w.Flush(); err != nil {
		return fmt.Errorf("fast-import: %w\n%s", err, said.String())
	}
	in.(io.Closer).Close()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("fast-import: %w\n%s", err, said.String())
	}
	return nil
}

// seal makes the epochs from the imported months, as `entire share seal` writes them.
func (l *lab) seal(bare string, rows map[epoch.Month][]epoch.Row, hollow bool) error {
	ctx := context.Background()
	repo, err := git.Discover(ctx, bare, l.env)
	if err != nil {
		return err
	}
	defer repo.Close()
	for month, list := range rows {
		moves := []git.RefUpdate{{Name: month.Ref()}}
		trees := map[string]git.OID{}
		if c, imported, err := repo.Reader(ctx).CommitOf("refs/import/" + string(month)); err != nil {
			return err
		} else if imported {
			moves = append(moves, git.RefUpdate{Name: "refs/import/" + string(month), Old: c.OID})
			if err := treesBelow(repo.Reader(ctx), c.Tree, trees); err != nil {
				return err
			}
		}
		for i := range list {
			if list[i].Tree = trees[list[i].ID.String()]; list[i].Tree.IsZero() { // hollow: any name will do
				list[i].Tree = git.ObjectOID(repo.NewHash(), "tree", []byte(list[i].ID.String()))
			}
		}
		manifest, bodies, err := epoch.Build(repo, month, list, 0)
		if err != nil {
			return err
		}
		moves[0].New = manifest
		if hollow {
			moves = moves[:1] // keep what was imported; a ref to bodies would reach what does not exist
		} else {
			moves = append(moves, git.RefUpdate{Name: month.BodyRef(), New: bodies})
		}
		if err := repo.UpdateRefs(ctx, moves); err != nil {
			return err
		}
	}
	_, err = l.do(bare, "git", "repack", "-d", "-q", "--window=0")
	return err
}

// treesBelow adds the trees of the checkpoints below a root.
func treesBelow(rd *git.Reader, root git.OID, trees map[string]git.OID) error {
	shards, err := rd.Tree(root)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		rests, err := rd.Tree(shard.OID)
		if err != nil {
			return err
		}
		for _, e := range rests {
			trees[shard.Name+e.Name] = e.OID
		}
	}
	return nil
}

// addCheckpoint makes one new checkpoint in a clone, where the layout puts it.
func (l *lab) addCheckpoint(clone, layout string) error {
	c := newMaker().next(0, 1)
	c.id = "ffffffffff00"
	ref, from, dir := branchRef, "", c.id[:2]+"/"+c.id[2:]+"/"
	if layout == "refs" {
		ref, dir = "refs/entire/checkpoints/00/"+c.id, ""
	} else if _, err := l.do(clone, "git", "rev-parse", "-q", "--verify", branchRef); err == nil {
		from = "from " + branchRef + "^0\n"
	}
	return l.fastImport(filepath.Join(clone, ".git"), func(s stream) {
		s.commit(ref, c.author, time.Now(), "Checkpoint: "+c.id+"\n")
		s.w.WriteString(from)
		s.files(dir, c)
	})
}
