package jsontext

import "github.com/tidwall/gjson"

// maxNamedFiles bounds the list of files that a tool's input names.
const maxNamedFiles = 64

// NamedFiles returns the files that a tool's input names under the usual keys.
func NamedFiles(input gjson.Result) (out []string) {
	for _, key := range []string{"path", "file_path", "filePath", "filename", "file", "destination", "target", "relative_path", "uri", "output"} {
		if v := input.Get(key); v.Type == gjson.String && v.Str != "" {
			out = append(out, ValidUTF8(v.Str))
		}
	}
	for _, key := range []string{"paths", "files"} {
		input.Get(key).ForEach(func(_, v gjson.Result) bool {
			if v.Type == gjson.String && len(out) < maxNamedFiles {
				out = append(out, ValidUTF8(v.Str))
			}
			return true
		})
	}
	return out
}
