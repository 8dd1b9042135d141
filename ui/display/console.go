package display

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// console reads the first five function keys of the console of Linux, which sends CSI
// [ and a letter for them: the decoder ends the sequence before the letter, which then
// would be written.
type console struct{ open bool }

// key is a message as the model is to see it; nil: there is none.
func (c *console) key(msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case uv.UnknownCsiEvent:
		if msg == "\x1b[[" {
			c.open = true
			return nil
		}
	case tea.KeyPressMsg:
		was := c.open
		c.open = false
		if letter := msg.Text; was && len(letter) == 1 && letter[0] >= 'A' && letter[0] <= 'E' {
			return tea.KeyPressMsg{Code: tea.KeyF1 + rune(letter[0]-'A')}
		}
	}
	return msg
}
