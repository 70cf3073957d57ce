package teleportcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/teleport"
	"entire/strategy/handoff"
)

// A sealedSource opens a received bundle any number of times.
type sealedSource struct {
	open  func() (io.ReadCloser, int64, error)
	claim func(context.Context) (mine bool, err error) // before anything is put in place
	done  func(context.Context) error                  // after everything is in place
}

// fileArgument returns the first argument if it is a file.
func fileArgument(l *sessionlib.Library, args []string) (file string, rest []string) {
	if len(args) == 0 {
		return "", nil
	}
	path := l.Abs(args[0])
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() || strings.ContainsAny(args[0], "/\\.") {
		return path, args[1:]
	}
	return "", args
}

func openSealed(ctx context.Context, l *sessionlib.Library, file string, key teleport.Key, o receiveOptions) (sealedSource, error) {
	if file != "" {
		return sealedSource{
			open: func() (io.ReadCloser, int64, error) {
				f, err := durable.Open(file)
				if err != nil {
					return nil, 0, err
				}
				info, err := f.Stat()
				if err != nil {
					return nil, 0, errors.Join(err, f.Close())
				}
				return f, info.Size(), nil
			},
			claim: func(context.Context) (bool, error) { return true, nil },
			done:  func(context.Context) error { return nil },
		}, nil
	}
	if l.Wp == nil {
		return sealedSource{}, cliui.Failf("go to a clone, or name a file", "there is no repository here whose remotes could have it")
	}
	engine := l.Wp.Engine
	remote, err := fetchBundle(ctx, l, key, o)
	if err != nil {
		return sealedSource{}, err
	}
	return sealedSource{
		open: func() (io.ReadCloser, int64, error) {
			r, size, err := handoff.OpenBundle(ctx, engine, key.ID)
			return io.NopCloser(r), size, err
		},
		claim: func(ctx context.Context) (bool, error) {
			if remote == "" {
				return true, nil // an interrupted receive has claimed it
			}
			was, err := handoff.DropRemoteBundle(ctx, engine, workplace.Person(l.Env, o.json), remote, key.ID)
			if err != nil || was {
				return true, err
			}
			_, err = handoff.DropBundle(ctx, engine, key.ID)
			return false, err
		},
		done: func(ctx context.Context) error {
			_, err := handoff.DropBundle(ctx, engine, key.ID)
			return err
		},
	}, nil
}

// fetchBundle fetches a bundle, unless an interrupted receive has done so, and returns the URL it
// came from; "" if no remote has it any more.
func fetchBundle(ctx context.Context, l *sessionlib.Library, key teleport.Key, o receiveOptions) (string, error) {
	engine := l.Wp.Engine
	names, urls, err := handoff.FetchURLs(ctx, engine)
	if err != nil {
		return "", err
	}
	var failed []error
	for i, url := range urls {
		if o.from != "" && names[i] != o.from {
			continue
		}
		err := handoff.FetchBundle(ctx, engine, workplace.Person(l.Env, o.json), url, key.ID)
		if err == nil {
			return url, nil
		}
		if !errors.Is(err, handoff.ErrNoTeleport) {
			failed = append(failed, fmt.Errorf("%s: %w", names[i], err))
		}
	}
	if _, _, err := handoff.OpenBundle(ctx, engine, key.ID); err == nil {
		return "", nil
	}
	if err := errors.Join(failed...); err != nil {
		return "", err
	}
	return "", handoff.ErrNoTeleport
}
