package histories

import "fmt"

// A Failure ends a history: it could not be played, or an oracle disagrees. A panic carries it to Guard.
type Failure struct{ Class, Text string }

func (f Failure) Error() string { return f.Class + ": " + f.Text }

// Fail ends the history that is being played.
func Fail(class, format string, args ...any) {
	panic(Failure{class, fmt.Sprintf(format, args...)})
}

// Check ends the history if there is an error.
func Check(class string, err error) {
	if err != nil {
		Fail(class, "%v", err)
	}
}

// Guard plays until something fails, and returns the failure, nil for none.
func Guard(play func()) (failed *Failure) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case Failure:
			failed = &p
		default:
			panic(p)
		}
	}()
	play()
	return nil
}
