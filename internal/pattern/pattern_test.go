package pattern

import "testing"

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"a.go", "a.go", true}, {"a.go", "b/a.go", false}, {"*.go", "a.go", true}, {"*.go", "b/a.go", false},
		{"**/*.go", "a.go", true}, {"**/*.go", "x/y/a.go", true}, {"**", "x/y/a.go", true}, {"x/**", "x/y/a.go", true},
		{"x/**", "x", false}, {"x/", "x/a", true}, {"x/", "xy/a", false}, {"x/**/a.go", "x/a.go", true}, {"x/**/z/*.go", "x/y/z/a.go", true},
		{"x/**/z/*.go", "x/y/a.go", false}, {"a*b*c", "aXbYc", true}, {"a*b*c", "ac", false}, {"a*ab", "ab", false}, {"*a*", "bab", true},
	} {
		if got := Matches([]string{test.pattern}, test.path); got != test.want {
			t.Errorf("%s and %s: %v", test.pattern, test.path, got)
		}
	}
	if !Matches(nil, "any") {
		t.Error("no pattern means every path")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	if err := Check([]string{"a/", "**/*.go"}); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "/a", "!a"} {
		if Check([]string{bad}) == nil {
			t.Errorf("%q means a path", bad)
		}
	}
}
