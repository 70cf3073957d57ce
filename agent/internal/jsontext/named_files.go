package jsontext

import (
	"slices"

	"github.com/tidwall/gjson"
)

// maxNamedFiles bounds the list of files that a tool's input names.
const maxNamedFiles = 64

// fileKeys are the usual keys under which a tool's input names a file.
var fileKeys = [...]string{"path", "file_path", "filePath", "filename", "file", "destination", "target", "relative_path", "uri", "output"}

// NamedFiles returns the files that a tool's input names under the usual keys.
func NamedFiles(input gjson.Result) (out []string) {
	var one [len(fileKeys)]string
	var lists [2]gjson.Result
	input.ForEach(func(key, v gjson.Result) bool {
		switch i := slices.Index(fileKeys[:], key.Str); {
		case i >= 0 && v.Type == gjson.String && one[i] == "":
			one[i] = ValidUTF8(v.Str)
		case key.Str == "paths":
			lists[0] = v
		case key.Str == "files":
			lists[1] = v
		}
		return true
	})
	for _, name := range one {
		if name != "" {
			out = append(out, name)
		}
	}
	for _, list := range lists {
		list.ForEach(func(_, v gjson.Result) bool {
			if v.Type == gjson.String && len(out) < maxNamedFiles {
				out = append(out, ValidUTF8(v.Str))
			}
			return true
		})
	}
	return out
}
