package clitest

import (
	"time"
)

var Noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
