package term

import (
	"image/color"

	"charm.land/lipgloss/v2"

	"entire/internal/legible"
)

// Hue returns text in one of six colours, for telling things apart that are numbered from 1; 0 is no
// colour. The text is plain, as in [Terminal.Styled].
func (t Terminal) Hue(n int, text string) string {
	hues := [...]color.Color{lipgloss.Cyan, lipgloss.Magenta, lipgloss.Yellow, lipgloss.Green, lipgloss.Blue, lipgloss.Red}
	if !t.Color || text == "" || n <= 0 {
		return text
	}
	style := lipgloss.NewStyle().Foreground(hues[(n-1)%len(hues)])
	return legible.Mark(style.Render(legible.Text(text)), t.Mark)
}

// Cells returns how many columns plain text takes.
func Cells(text string) int { return lipgloss.Width(text) }
