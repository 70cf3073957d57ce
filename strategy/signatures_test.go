package strategy_test

import (
	"time"

	"github.com/go-git/go-git/v5"

	"entire/id"
	"entire/strategy"
)

// The documented API, as other programs compile against it.
var (
	_ func() ([]strategy.Session, error)      = strategy.ListSessions
	_ func(string) (*strategy.Session, error) = strategy.GetSession

	_ func(*strategy.ManualCommitStrategy, *git.Repository, id.CheckpointID, *strategy.SessionState) (*strategy.CondenseResult, error) = (*strategy.ManualCommitStrategy).CondenseSession

	_ func(*strategy.AutoCommitStrategy, strategy.SaveContext) error = (*strategy.AutoCommitStrategy).SaveChanges

	_ = strategy.Session{ID: "", Description: "", Strategy: "", StartTime: time.Time{}, Checkpoints: []strategy.Checkpoint{
		{CheckpointID: id.CheckpointID{}, Message: "", Timestamp: time.Time{}, IsTaskCheckpoint: false, ToolUseID: ""}}}
)
