package sessionstate

import "entire/internal/pathtext"

// EncodePath returns the text of a path, as JSON holds it.
func EncodePath(path string) string { return pathtext.Encode(path) }

// DecodePath decodes a path that EncodePath encoded.
func DecodePath(text string) string { return pathtext.Decode(text) }

func EncodePaths(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = EncodePath(p)
	}
	return out
}

func DecodePaths(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = DecodePath(t)
	}
	return out
}
