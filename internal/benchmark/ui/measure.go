package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// The goals.
const (
	goalFirst  = 50 * time.Millisecond
	goalKey    = 16 * time.Millisecond
	goalMemory = 80 << 20
)

// A row is a line of the table.
type row struct {
	name, value, goal string
	over              bool
}

// A walk is a series of keys in a panel.
type walk struct {
	name   string
	open   []string // keys that lead to the panel
	keys   []string // pressed again and again
	settle time.Duration
}

const (
	down  = "\x1b[B"
	pages = "\x1b[6~"
	left  = "\x1b[D"
)

var walks = []walk{
	{"timeline, down", nil, []string{down}, 0},
	{"timeline, at the speed of a held key", nil, []string{down}, 30 * time.Millisecond},
	{"timeline, a page down", nil, []string{pages}, 0},
	{"a commit of 40 files, scrolled", []string{"G", "\x1b[A"}, []string{" ", "\x7f"}, 30 * time.Millisecond},
	{"states of all files, back", []string{"s"}, []string{left}, 60 * time.Millisecond},
	{"sessions, down", []string{"3"}, []string{down, "\x1b[A"}, 30 * time.Millisecond},
	{"a long conversation, scrolled", []string{"3", "\r"}, []string{"\x1b[A"}, 0},
	{"search, as one types", []string{"/"}, typed(word(2500)), 120 * time.Millisecond},
}

// typed returns the keys that type a word, and delete it again.
func typed(text string) (keys []string) {
	for _, r := range text {
		keys = append(keys, string(r))
	}
	for range text {
		keys = append(keys, "\x7f")
	}
	return keys
}

// measure prints the table, or only the rows of the panels that have a text in their names.
func (l *lab) measure(runs, keys int, only string) error {
	var table []row
	if strings.Contains("first frame", only) {
		rows, err := l.firstFrames(runs)
		if err != nil {
			return err
		}
		table = append(table, rows...)
	}
	most := 0
	for _, w := range walks {
		if !strings.Contains(w.name, only) {
			continue
		}
		rows, memory, err := l.walk(w, keys)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		table, most = append(table, rows...), max(most, memory)
	}
	if strings.Contains(oldest, only) {
		rows, memory, err := l.toTheEnd()
		if err != nil {
			return err
		}
		table, most = append(table, rows...), max(most, memory)
	}
	table = append(table, row{"resident memory, at most", fmt.Sprintf("%d MB", most>>20), fmt.Sprintf("%d MB", goalMemory>>20), most > goalMemory})
	printTable(table)
	return nil
}

// firstFrames measures how much processor time passes until the newest point is shown, and until its
// diff is.
func (l *lab) firstFrames(runs int) ([]row, error) {
	var cpu, wall []time.Duration
	for range runs {
		begun := time.Now()
		t, err := l.start()
		if err != nil {
			return nil, err
		}
		err = t.wait("Please")
		cpu, wall = append(cpu, t.cpu()), append(wall, time.Since(begun))
		t.stop()
		if err != nil {
			return nil, err
		}
	}
	return []row{
		{"first frame with the newest points, processor time, median", ms(at(cpu, 50)), ms(goalFirst), at(cpu, 50) > goalFirst},
		{"first frame with the newest points, clock, median", ms(at(wall, 50)), "", false},
	}, nil
}

// walk presses keys in a panel, and measures from each key to the first output after it.
func (l *lab) walk(w walk, keys int) ([]row, int, error) {
	t, err := l.start()
	if err != nil {
		return nil, 0, err
	}
	defer t.stop()
	if err := t.wait("Please"); err != nil {
		return nil, 0, err
	}
	t.quiet(time.Second)
	for _, key := range w.open {
		if _, _, err := t.press(key); err != nil {
			return nil, 0, err
		}
		t.quiet(2 * time.Second)
	}
	var presses []press
	for i := range keys {
		p, ok, err := t.press(w.keys[i%len(w.keys)])
		if err != nil {
			return nil, 0, err
		}
		if ok {
			presses = append(presses, p)
		}
		time.Sleep(w.settle)
	}
	if len(presses) < keys*9/10 {
		return nil, 0, fmt.Errorf("%d of %d keys have changed nothing", keys-len(presses), keys)
	}
	t.quiet(300 * time.Millisecond)
	most := t.mostMemory()
	return []row{keyRow(w.name, presses, most)}, most, nil
}

// keyRow returns the line of a walk. The clock counts what else the machine does, and the renderer's wait of up to
// 8 ms; the processor time counts all that the program reads meanwhile for frames to come. The frame itself takes
// no longer than either, so for each key the smaller one is compared with the goal.
func keyRow(name string, presses []press, memory int) row {
	var clock, cpu, frame []time.Duration
	for _, p := range presses {
		clock, cpu, frame = append(clock, p.clock), append(cpu, p.cpu), append(frame, min(p.clock, p.cpu))
	}
	value := fmt.Sprintf("%s, p99 %s (clock %s, p99 %s; processor %s, p99 %s); %d keys, %d MB", ms(at(frame, 50)), ms(at(frame, 99)),
		ms(at(clock, 50)), ms(at(clock, 99)), ms(at(cpu, 50)), ms(at(cpu, 99)), len(presses), memory>>20)
	return row{"key to frame: " + name, value, "p99 " + ms(goalKey), at(frame, 99) > goalKey}
}

// oldest is the name of the walk that begins at the oldest point.
const oldest = "timeline, up from the oldest point"

// toTheEnd goes to the oldest point, for which the whole past is read.
func (l *lab) toTheEnd() ([]row, int, error) {
	t, err := l.start()
	if err != nil {
		return nil, 0, err
	}
	defer t.stop()
	if err := t.wait("Please"); err != nil {
		return nil, 0, err
	}
	t.quiet(time.Second)
	t.clear()
	begun := time.Now()
	if _, err := t.tty.WriteString("G"); err != nil {
		return nil, 0, err
	}
	if err := t.wait("what the sessions wrote"); err != nil {
		return nil, 0, err
	}
	took := time.Since(begun)
	var presses []press
	for range 60 {
		p, ok, err := t.press("\x1b[A")
		if err != nil || !ok {
			return nil, 0, errors.Join(err, errors.New("the list does not move"))
		}
		presses = append(presses, p)
	}
	t.quiet(time.Second)
	most := t.mostMemory()
	return []row{
		{"to the oldest point, with everything read, clock", ms(took), "", false},
		keyRow(oldest, presses, most),
	}, most, nil
}

// at returns a percentile.
func at(all []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func printTable(table []row) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tmeasured\tgoal\t")
	for _, r := range table {
		mark := ""
		if r.over {
			mark = "over"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.name, r.value, r.goal, mark)
	}
	w.Flush()
}
