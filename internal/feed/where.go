package feed

// TranscriptOf is the transcript that a session was last fed from, "" if there was
// none. dir is the session's folder.
func TranscriptOf(dir string) string { return loadPosition(dir).Main.Path }
