package teleportcmd

import (
	"time"

	"entire/internal/retention"
)

// A lifetime is the value of a flag: how long a bundle can be received, as 90m, 12h, 7d or 2w.
type lifetime time.Duration

func (l *lifetime) Type() string { return "duration" }

func (l *lifetime) String() string { return time.Duration(*l).String() }

// Set accepts what Go calls a duration, and days and weeks.
func (l *lifetime) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = retention.ParseAge(text)
	}
	*l = lifetime(d)
	return err
}
