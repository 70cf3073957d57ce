package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"strings"

	"entire/internal/hub/settings"
)

// version is that of how rows are made: with another one, all are made again.
const version = "1"

// Teams say whose a file or a person is.
type Teams []settings.Team

// Digest names everything beside the checkpoints that rows depend on.
func (t Teams) Digest() string {
	data, err := json.Marshal(t)
	if err != nil {
		panic(err) // a team is texts
	}
	sum := sha256.Sum256(data)
	return version + "-" + hex.EncodeToString(sum[:8])
}

// ofPerson returns the first team that has the person, "" for none.
func (t Teams) ofPerson(email string) string {
	email = strings.ToLower(email)
	for _, team := range t {
		for _, a := range team.Authors {
			a = strings.ToLower(a)
			if a == email || strings.HasPrefix(a, "@") && strings.HasSuffix(email, a) {
				return team.Name
			}
		}
	}
	return ""
}

// ofFile returns the first team that has the file, or else that of the person.
func (t Teams) ofFile(file, email string) string {
	for _, team := range t {
		for _, p := range team.Paths {
			if covers(p, file) {
				return team.Name
			}
		}
	}
	return t.ofPerson(email)
}

// covers reports whether a pattern names the file or a folder that it is in.
func covers(pattern, file string) bool {
	pattern = strings.Trim(strings.TrimSuffix(pattern, "/**"), "/")
	if pattern == "" || pattern == "**" {
		return true
	}
	depth, at := strings.Count(pattern, "/")+1, 0
	for range depth {
		next := strings.IndexByte(file[at:], '/')
		if next < 0 {
			at = len(file) + 1
			break
		}
		at += next + 1
	}
	ok, err := path.Match(pattern, file[:at-1])
	return err == nil && ok
}

// folderDepth is how deep the folders are that lines are counted by.
const folderDepth = 3

// folderOf returns the folder of a file that its lines are counted in, "" for the top.
func folderOf(file string) string {
	dir := path.Dir(file)
	if dir == "." || dir == "/" {
		return ""
	}
	parts := strings.SplitN(dir, "/", folderDepth+1)
	return strings.Join(parts[:min(len(parts), folderDepth)], "/")
}
