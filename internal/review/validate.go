package review

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"time"

	"entire/agent"
	"entire/internal/attribution"
)

// DocumentMax is the most bytes of a document that Decode accepts.
const DocumentMax = 256 << 20

// Decode parses and checks a document. It ignores unknown fields and refuses other schemas.
func Decode(data []byte) (*Document, error) {
	if len(data) > DocumentMax {
		return nil, fmt.Errorf("%d bytes are more than %d", len(data), DocumentMax)
	}
	var head struct {
		Schema *string `json:"schema"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&head); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the document")
	}
	switch {
	case head.Schema == nil:
		return nil, errors.New("schema: missing")
	case *head.Schema != schemaName:
		return nil, fmt.Errorf("schema: %.60q is not known, only %q is", *head.Schema, schemaName)
	}
	d := &Document{}
	if err := json.Unmarshal(data, d); err != nil {
		var at *json.UnmarshalTypeError
		if errors.As(err, &at) {
			return nil, fmt.Errorf("%s: a %s cannot stand here", at.Field, at.Value)
		}
		return nil, err
	}
	return d, d.Check()
}

// Check returns what is wrong with the document, or nil.
func (d *Document) Check() error {
	if d.Schema != schemaName {
		return fmt.Errorf("schema: %.60q is not known, only %q is", d.Schema, schemaName)
	}
	if !attribution.IsObjectID(d.Range.Head) || d.Range.Base != "" && !attribution.IsObjectID(d.Range.Base) {
		return fmt.Errorf("range: base and head are no commits")
	}
	for _, check := range []func() error{d.checkCommits, d.checkSessions, d.checkOwners, d.checkFiles, d.checkSums, d.checkGroups, d.checkLimits, d.checkViolations, d.checkOrder} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) checkCommits() error {
	seen := map[string]bool{}
	for i, c := range d.Commits {
		switch _, err := time.Parse(time.RFC3339, c.Time); {
		case !attribution.IsObjectID(c.ID):
			return fmt.Errorf("commits[%d].id: %.80q is no object ID", i, c.ID)
		case seen[c.ID]:
			return fmt.Errorf("commits[%d].id: %s is listed twice", i, c.ID)
		case err != nil:
			return fmt.Errorf("commits[%d].time: %.40q is not a time", i, c.Time)
		}
		if err := c.Claim.check(); err != nil {
			return fmt.Errorf("commits[%d].claim: %w", i, err)
		}
		seen[c.ID] = true
	}
	return nil
}

func (d *Document) checkSessions() error {
	seen := map[string]bool{}
	for i, s := range d.Sessions {
		if seen[s.ID] {
			return fmt.Errorf("sessions[%d].session_id: %.80q is listed twice", i, s.ID)
		}
		if s.Usage != nil && !validUsage(s.Usage, 3) {
			return fmt.Errorf("sessions[%d].token_usage: not counts", i)
		}
		if c := s.Counted; c != nil && (!fits(c.AgentLines) || !fits(c.TotalCommitted) || c.AgentLines > c.TotalCommitted) {
			return fmt.Errorf("sessions[%d].counted: %d of %d lines", i, c.AgentLines, c.TotalCommitted)
		}
		seen[s.ID] = true
	}
	return nil
}

// validUsage reports whether usage holds valid counts, small enough to be added up.
func validUsage(u *agent.TokenUsage, deep int) bool {
	for _, n := range []int{u.InputTokens, u.CacheCreationTokens, u.CacheReadTokens, u.OutputTokens, u.APICallCount, u.CacheCreationHourTokens, u.ReasoningTokens} {
		if n < 0 || n > 1<<48 {
			return false
		}
	}
	return u.SubagentTokens == nil || deep > 0 && validUsage(u.SubagentTokens, deep-1)
}

func (d *Document) checkOwners() error {
	for i, o := range d.Owners {
		bare := o.Prompt == 0 && o.Session == "" && o.Agent == "" && o.Model == "" && o.Turn == 0 && o.ToolUseID == ""
		switch o.Class {
		case Agent:
			k := slices.IndexFunc(d.Sessions, func(s Session) bool { return s.ID == o.Session })
			switch {
			case k < 0:
				return fmt.Errorf("owners[%d].session_id: no session %.80q is listed", i, o.Session)
			case o.Turn < 0:
				return fmt.Errorf("owners[%d].turn: %d is less than none", i, o.Turn)
			case o.Prompt < 0 || o.Prompt > len(d.Sessions[k].Prompts):
				return fmt.Errorf("owners[%d].prompt: its session has no prompt %d", i, o.Prompt)
			}
		case Human, Unknown:
			if !bare {
				return fmt.Errorf("owners[%d]: only an agent has a session, a name, a model, a turn, a call or a prompt", i)
			}
		case Older:
			if !bare || o.Checkpoint != "" || o.Evidence != "" {
				return fmt.Errorf("owners[%d]: nothing is said of older lines", i)
			}
		default:
			return fmt.Errorf("owners[%d].class: %.40q is none of agent, human, unknown, older", i, o.Class)
		}
	}
	return nil
}

func (d *Document) checkFiles() error {
	for i := range d.Files {
		f := &d.Files[i]
		at := fmt.Sprintf("files[%d]", i)
		switch {
		case f.Path == "":
			return fmt.Errorf("%s.path: missing", at)
		case i > 0 && f.Path == d.Files[i-1].Path:
			return fmt.Errorf("%s.path: %.120q is listed twice", at, f.Path)
		case i > 0 && f.Path < d.Files[i-1].Path:
			return fmt.Errorf("%s.path: %.120q comes after %.120q", at, f.Path, d.Files[i-1].Path)
		case !fits(f.Lines) || !fits(f.OldLines):
			return fmt.Errorf("%s.lines: %d and %d are no numbers of lines", at, f.Lines, f.OldLines)
		case f.Skipped && len(f.Ranges)+len(f.Gone) > 0:
			return fmt.Errorf("%s: it was skipped and has lines", at)
		}
		if err := d.checkRows(at+".ranges", f.Ranges, f.Lines, f.Added, at+".added"); err != nil {
			return err
		}
		if err := d.checkRows(at+".removed_ranges", f.Gone, f.OldLines, f.Removed, at+".removed"); err != nil {
			return err
		}
		if want := d.hunks(f); !equalHunks(f.Hunks, want) {
			return fmt.Errorf("%s.hunks: they are not those of its ranges", at)
		}
		if want := class(f.Added, f.Removed); f.Class != want {
			return fmt.Errorf("%s.class: %.40q, its lines make it %q", at, f.Class, want)
		}
	}
	return nil
}

// fits reports whether n is a number of lines that can be added up.
func fits(n int) bool { return n >= 0 && n <= 1<<31 }

// checkRows checks rows for a file with the given number of lines, and their sum.
func (d *Document) checkRows(at string, rows []Rows, lines int, sum Tally, sumAt string) error {
	var t Tally
	end := 1
	for i, g := range rows {
		here := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case !fits(g.Start) || !fits(g.Count) || g.Start < 1 || g.Count < 1:
			return fmt.Errorf("%s: %d lines from %d on are none", here, g.Count, g.Start)
		case i > 0 && g.Start < rows[i-1].Start:
			return fmt.Errorf("%s: line %d comes after line %d", here, g.Start, rows[i-1].Start)
		case g.Start < end:
			return fmt.Errorf("%s: line %d belongs to the one before it, too", here, g.Start)
		case g.Start+g.Count-1 > lines:
			return fmt.Errorf("%s: line %d is beyond the file's %d", here, g.Start+g.Count-1, lines)
		case g.Owner < 0 || g.Owner >= len(d.Owners):
			return fmt.Errorf("%s.owner: there is no owner %d", here, g.Owner)
		case g.Commit < -1 || g.Commit >= len(d.Commits):
			return fmt.Errorf("%s.commit: there is no commit %d", here, g.Commit)
		}
		end = g.Start + g.Count
		t.add(d.Owners[g.Owner].Class, g.Count)
	}
	if t != sum {
		return fmt.Errorf("%s: %+v, its ranges come to %+v", sumAt, sum, t)
	}
	return nil
}

func equalHunks(a, b []Hunk) bool { return slices.Equal(a, b) }

// checkSums recomputes every derived field and compares.
func (d *Document) checkSums() error {
	c := Document{Owners: d.Owners, Files: slices.Clone(d.Files), Sessions: slices.Clone(d.Sessions)}
	c.derive()
	if !reflect.DeepEqual(c.Totals.Usage, d.Totals.Usage) {
		return errors.New("totals.token_usage: it is not the sum of the sessions'")
	}
	if math.Abs(c.Totals.AgentPercentage-d.Totals.AgentPercentage) > 0.006 {
		return fmt.Errorf("totals.agent_percentage: %v, its lines come to %v", d.Totals.AgentPercentage, c.Totals.AgentPercentage)
	}
	got, want := d.Totals, c.Totals
	got.Usage, want.Usage, got.AgentPercentage, want.AgentPercentage = nil, nil, 0, 0
	if got != want {
		return fmt.Errorf("totals: %+v, the files come to %+v", got, want)
	}
	for i, s := range d.Sessions {
		if s.Added != c.Sessions[i].Added || s.Removed != c.Sessions[i].Removed {
			return fmt.Errorf("sessions[%d]: %d added and %d removed, the files have %d and %d", i, s.Added, s.Removed, c.Sessions[i].Added, c.Sessions[i].Removed)
		}
	}
	return nil
}

func (d *Document) checkGroups() error {
	if d.Groups == nil {
		return nil
	}
	if !slices.Contains(Axes(), d.Groups.By) {
		return fmt.Errorf("groups.by: %.40q is not known", d.Groups.By)
	}
	want := d.group(d.Groups.By).Rows
	for i, row := range d.Groups.Rows {
		if i >= len(want) || row != want[i] {
			return fmt.Errorf("groups.rows[%d]: it is not what the files come to", i)
		}
	}
	if len(want) > len(d.Groups.Rows) {
		return fmt.Errorf("groups.rows: %.80q is missing", want[len(d.Groups.Rows)].Name)
	}
	return nil
}

func (d *Document) checkLimits() error {
	for i, c := range d.Checks {
		limits, err := ParseLimits(fmt.Sprintf("%s=%v", c.Limit, c.Than))
		if err != nil {
			return fmt.Errorf("checks[%d]: %w", i, err)
		}
		if want := d.applyLimit(limits[0]); want.OK != c.OK || math.Abs(want.Found-c.Found) > 0.006 {
			return fmt.Errorf("checks[%d]: %v, the lines come to %v", i, c.Found, want.Found)
		}
	}
	return nil
}
