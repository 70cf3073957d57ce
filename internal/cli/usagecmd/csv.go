package usagecmd

import (
	"encoding/csv"
	"fmt"
	"io"

	"entire/internal/cli/cliui"
	"entire/internal/cli/usagelib"
)

// writeCSV writes a line for each row, below a line with the names.
func writeCSV(out io.Writer, r *usagelib.Report) error {
	w := csv.NewWriter(out)
	w.Write([]string{r.By, "title", "answers", "input", "cache_read", "cache_write", "cache_write_hour", "output", "reasoning", "total",
		"cost_usd", "unpriced_tokens", "thrown_away_tokens", "thrown_away_usd"})
	for _, row := range r.Rows {
		line := []string{cliui.SheetText(row.Key), cliui.SheetText(row.Title)}
		t := row.Tokens
		for _, n := range []int64{int64(row.Answers), t.Input, t.CacheRead, t.CacheWrite, t.HourWrite, t.Output, t.Reasoning, row.Total} {
			line = append(line, fmt.Sprint(n))
		}
		w.Write(append(line, fmt.Sprintf("%.6f", row.Cost), fmt.Sprint(row.Unpriced), fmt.Sprint(row.ThrownAway.Total), fmt.Sprintf("%.6f", row.ThrownAway.Cost)))
	}
	w.Flush()
	return w.Error()
}
