package search

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entire/agent"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, query, match string }{
		{"a word in its other forms", "failing", `"fail"`},
		{"two words are both", "retry timeouts", `("retry" AND "timeout")`},
		{"a phrase", `"connection refused"`, `"connect refus"`},
		{"a prefix", "migr*", `("migr" *)`},
		{"a prefix that is a whole word too", "failing*", `("failing" * OR "fail")`},
		{"a phrase's prefix", `"go tes"*`, `("go tes" *)`},
		{"or binds less than and", "a b OR c", `(("a" AND "b") OR "c")`},
		{"parentheses", "a (b OR c)", `("a" AND ("b" OR "c"))`},
		{"not", "a NOT b", `(("a") NOT ("b"))`},
		{"minus", "a -b -c", `(("a") NOT ("b" OR "c"))`},
		{"a constraint of SQL is no operator", "NOT NULL a", `("not" AND "null" AND "a")`},
		{"not not", "a NOT NOT b", `("a" AND "b")`},
		{"minus within a word", "pre-push", `"pre push"`},
		{"a flag is a word", "--force", `"forc"`},
		{"snake case, whole and by parts", "parse_config", `("pars config" OR "parseconfig")`},
		{"camel case", "parseConfig", `("pars config" OR "parseconfig")`},
		{"a path", "internal/git/status.go", `"internal git status go"`},
		{"operators in small letters are words", "this and that", `("this" AND "and" AND "that")`},
		{"what FTS5 would understand", `title:x^2 NEAR(a b)`, `("titl x 2" AND "near" AND ("a" AND "b"))`},
		{"quotes in a phrase", `"it's * 'so'"`, `"it s so"`},
		{"a URL is no filter", "http://example.com", `"http exampl com"`},
		{"nothing but signs is passed over", "a => b", `("a" AND "b")`},
		{"accents do not matter", "Café", `"cafe"`},
		{"letters that are words", "数据", `"数 据"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q, err := Parse(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Root.match(); got != tt.match {
				t.Errorf("got  %s\nwant %s", got, tt.match)
			}
		})
	}
}

func TestParseFields(t *testing.T) {
	t.Parallel()
	q, err := Parse(`role:user tag:"two words" AND timeout since:30d`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{{"role", "user", 1}, {"tag", "two words", 11}, {"since", "30d", 39}}
	if !reflect.DeepEqual(q.Fields, want) || q.Root.match() != `"timeout"` {
		t.Errorf("got %+v and %s", q.Fields, q.Root.match())
	}
	if q, err = Parse("tag:x"); err != nil || q.Root != nil {
		t.Errorf("a filter alone: %+v, %v", q.Root, err)
	}
}

func TestParsePlain(t *testing.T) {
	t.Parallel()
	for query, plain := range map[string]bool{`a "b c" -d`: true, "a OR b": false, "(a) b": false, "a AND b": false} {
		if q, err := Parse(query); err != nil || q.Plain != plain {
			t.Errorf("%s: plain %v, %v", query, q.Plain, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, query string
		pos         int
		why         string
	}{
		{"a quote that is not closed", `über "a b`, 6, "quote is not closed"},
		{"a parenthesis that is not closed", "a (b", 3, "parenthesis is not closed"},
		{"one that closes nothing", "a b)", 4, "closes nothing"},
		{"empty ones", "a ()", 3, "nothing in these parentheses"},
		{"OR at the end", "a OR", 5, "OR needs"},
		{"OR at the beginning", "OR a", 1, "OR needs"},
		{"two ORs", "a OR OR b", 6, "OR needs"},
		{"AND at the beginning", "AND a", 1, "AND needs"},
		{"AND at the end", "a AND", 3, "AND needs"},
		{"NOT of nothing", "a NOT", 3, "NOT needs a word"},
		{"only what is not wanted", "-a", 1, "only excludes"},
		{"in one alternative", "a OR -b", 6, "only excludes"},
		{"in parentheses", "a (-b -c)", 4, "only excludes"},
		{"a star alone", "a *", 3, "needs the beginning of a word"},
		{"a star after a sign", "a b.*", 4, "right after a letter"},
		{"an empty phrase", `a "--"`, 3, "no word in these quotes"},
		{"a filter without a value", "a role:", 3, "no value"},
		{"a filter that is turned around", "a -role:user", 4, "cannot be negated"},
		{"a filter beside OR", "a OR role:user b", 6, "cannot be part of an OR"},
		{"a filter in parentheses", "a (role:user b)", 4, "cannot be in parentheses"},
		{"too deep", strings.Repeat("(", 50) + "a" + strings.Repeat(")", 50), 34, "nested too deeply"},
		{"too long", strings.Repeat("a", 5000), 1, "at most 4096 bytes"},
		{"too many words", strings.Repeat("a ", 100), 1, "at most 64 words"},
		{"not UTF-8", "a \xff", 1, "UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(tt.query)
			var bad *QueryError
			if !errors.As(err, &bad) || bad.Pos != tt.pos || !strings.Contains(bad.Why, tt.why) {
				t.Errorf("got %v, want character %d: … %s …", err, tt.pos, tt.why)
			}
		})
	}
}

// FuzzParse: whatever somebody types finds the same documents as SQLite's FTS5 does.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`a "b c"* -d`, "(a OR b) AND NOT c", "role:user x*", `"`, "a^2 NEAR(b)", "{title}:x", "数据 é_B"} {
		f.Add(seed)
	}
	x := newIndex(f)
	s := talks{"s": {said(agent.RoleUser, "a b c d role x a b"), said(agent.RoleAssistant, "数据 é_B xylophone"), said(agent.RoleTool, "title c a near")}}
	mustUpdate(f, x, s)
	plain := newPlain(f, x, s)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			return
		}
		if q.Root == nil {
			return
		}
		for _, n := range append(looserQueries(q.Root), q.Root) {
			if got, want := ids(x.ranked(t, n)), ids(plain.ranked(t, n)); !slices.Equal(got, want) {
				t.Fatalf("%q: found %x, and FTS5 %x with %s", text, got, want, n.match())
			}
		}
	})
}
