package main

import (
	"bufio"
	"fmt"
	"strings"
	"time"
)

// A writer writes commits for git fast-import.
type writer struct{ *bufio.Writer }

func (w writer) data(text string) { fmt.Fprintf(w, "data %d\n%s\n", len(text), text) }

func (w writer) commit(ref string, when int64, message, from string) {
	fmt.Fprintf(w, "commit %s\nauthor Bench <bench@example.com> %d +0000\ncommitter Bench <bench@example.com> %d +0000\n", ref, when, when)
	w.data(message)
	if from != "" {
		fmt.Fprintf(w, "from %s\n", from)
	}
}

func (w writer) file(path, content string) {
	fmt.Fprintf(w, "M 100644 inline %s\n", path)
	w.data(content)
}

// addHistory adds commits to main, and steps on top of them, in the form of docs/format.md.
func (l *lab) addHistory() error {
	shadow, err := l.run("", "git", "for-each-ref", "--format=%(refname)", "refs/heads/entire/")
	if err != nil {
		return err
	}
	suffix := ""
	for _, ref := range strings.Fields(shadow) {
		if name := strings.TrimPrefix(ref, "refs/heads/entire/"); !strings.HasPrefix(name, "checkpoints/") {
			_, suffix, _ = strings.Cut(name, "-")
		}
	}
	if suffix == "" {
		return fmt.Errorf("no shadow branch among %q", shadow)
	}
	began := time.Now().Add(-20 * 24 * time.Hour).Unix()
	err = l.fastImport(func(out *bufio.Writer) {
		w := writer{out}
		for i := range l.commits {
			from := ""
			if i == 0 {
				from = "refs/heads/main^0"
			}
			w.commit("refs/heads/main", began+int64(i), "Commit "+l.sentence(6)+"\n", from)
			w.file(l.file(l.words.IntN(400)), l.code(6))
		}
	})
	if err != nil {
		return err
	}
	head, err := l.run("", "git", "rev-parse", "main")
	if err != nil {
		return err
	}
	return l.fastImport(func(out *bufio.Writer) {
		w := writer{out}
		ref := "refs/heads/entire/" + head[:7] + "-" + suffix
		began += int64(l.commits)
		for i := range l.steps {
			from := ""
			if i == 0 {
				from = head
			}
			sid := l.session(i / 50 % l.sessions)
			prompt := "Please " + l.sentence(8)
			message := fmt.Sprintf("%s\n\nEntire-Metadata: .entire/metadata/%s\nEntire-Session: %s\nEntire-Strategy: manual-commit\nEntire-Base: %s\nEntire-Step-Turn: %d\nEntire-Step-Branch: main\n",
				prompt, sid, sid, head, i/50+1)
			w.commit(ref, began+int64(i), message, from)
			w.file(l.file(l.words.IntN(400)), l.code(6))
			w.file(".entire/metadata/"+sid+"/prompt.txt", prompt)
		}
	})
}
