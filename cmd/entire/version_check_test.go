package main

import "testing"

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"v1.2.3", "1.2.3", "same"}, {"v1.2.3", "v1.2.4", "older"}, {"v1.10.0", "v1.9.9", "newer"}, {"v2.0.0-rc.1", "v2.0.0", "older"},
		{"v2.0.0", "v2.0.0-rc.1", "newer"}, {"v1.0.0-rc.2", "v1.0.0-rc.10", "older"}, {"v1.0.0-alpha", "v1.0.0-alpha.1", "older"},
		{"v1.0.0-1", "v1.0.0-a", "older"}, {"dev", "v1.0.0", "other"}, {"v1.0.0+a", "v1.0.0+b", "other"}, {"v0.0.0-dev+1", "v0.0.1", "older"},
	} {
		if got := compareVersions(c.a, c.b); got != c.want {
			t.Errorf("%s is %s than %s; it is %s", c.a, got, c.b, c.want)
		}
	}
}
