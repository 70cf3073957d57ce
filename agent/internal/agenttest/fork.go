package agenttest

// Tester is a test or what rapid gives in its place.
type Tester interface {
	Helper()
	Errorf(format string, a ...any)
	Fatal(a ...any)
	Fatalf(format string, a ...any)
}
