package config

import (
	"path/filepath"
	"strings"
	"time"
)

// Who returns the name and the address that git would write now for a role, "author" or
// "committer". ok is false if only git can tell: it would guess, or leave characters out.
func (c *Config) Who(role string) (name, email string, ok bool) {
	of := "GIT_" + strings.ToUpper(role)
	name, named := c.first(of+"_NAME", role+".name", "user.name")
	email, reached := c.first(of+"_EMAIL", role+".email", "user.email")
	return name, email, named && reached && c.place.env(of+"_DATE") == "" && clean(name) && clean(email)
}

// first returns the value of a variable of the environment or, if there is none, that of the
// first key that is set.
func (c *Config) first(variable string, keys ...string) (value string, ok bool) {
	if value, set := c.place.lookup(variable); set {
		return value, true
	}
	for _, key := range keys {
		value, _, sure := c.Last(key)
		if !sure || value != "" {
			return value, sure
		}
	}
	return "", false
}

// clean reports whether git writes a name or an address as it is.
func clean(s string) bool {
	const atEnds = ".,:;<>\"\\'"
	odd := func(c byte) bool { return c <= ' ' || strings.IndexByte(atEnds, c) >= 0 }
	return s != "" && !odd(s[0]) && !odd(s[len(s)-1]) && !strings.ContainsAny(s, "\n<>\x00")
}

// Zone returns the time zone in which git writes the time. ok is false if only git can tell.
func (c *Config) Zone() (zone *time.Location, ok bool) {
	name, set := c.place.lookup("TZ")
	switch {
	case !set:
		return time.Local, true
	case name == "":
		return time.UTC, true
	case name[0] == ':' || filepath.IsAbs(name):
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}
