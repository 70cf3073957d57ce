package summarize

// Yield does nothing on Windows.
func Yield() {}

// keepOpenFiles does nothing: on Windows, children only inherit what is named.
func keepOpenFiles() {}
