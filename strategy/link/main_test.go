package link_test

import (
	"testing"

	"entire/strategy/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.RunMain(m) }
