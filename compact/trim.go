package compact

import (
	"fmt"
	"strings"

	"forge/provider"
)

// Trimmed is a tool result as it is told from now on. The whole stays on disk.
type Trimmed struct {
	ID   string // of the call
	Text string
}

const (
	trimKeep = 800  // bytes that stay of an old result: its two ends
	trimFrom = 2000 // bytes below which nothing is gained
)

// trimMark begins what stands in the place of the middle of a result.
const trimMark = "[left out to save room: "

// again is said where the whole result is nowhere to be read.
const again = "; do the call again if you need them]"

// trimmable lists the results before message end that are worth shortening to
// about keep bytes, and what that saves in tokens. Pinned ones stay, and those
// that were shortened before.
func trimmable(ms []provider.Message, end, keep int, r Request) (trim []Trimmed, gain int) {
	for _, m := range ms[:end] {
		for _, b := range m.Blocks {
			res, ok := b.(provider.ToolResult)
			if !ok || r.Pins[res.ID] {
				continue
			}
			was := weighBlocks(res.Content)
			text := provider.Message{Blocks: res.Content}.PlainText()
			if len(text) < max(trimFrom, 2*keep) && !pictured(res.Content) || trimmedText(text) {
				continue
			}
			short := shorten(text, keep)
			if saved := was - Count(short) - blockTokens; saved > 0 {
				if r.Whole != nil {
					if where := r.Whole(res.ID, text); where != "" {
						short = strings.Replace(short, again, "; the whole is in "+where+"]", 1)
					}
				}
				trim = append(trim, Trimmed{ID: res.ID, Text: short})
				gain += saved
			}
		}
	}
	return trim, gain
}

// shorten keeps the two ends of a result and says what is missing and how to see
// it again.
func shorten(text string, keep int) string {
	if len(text) <= keep {
		return text + "\n[a picture was left out to save room]"
	}
	head, tail := ends(text, keep)
	gone := text[len(head) : len(text)-len(tail)]
	return fmt.Sprintf("%s\n%s%d bytes, %d lines%s\n%s",
		strings.TrimRight(head, "\n"), trimMark, len(gone), strings.Count(gone, "\n"), again, strings.TrimLeft(tail, "\n"))
}

// apply gives the history as it will be with results shortened, to be weighed.
func apply(ms []provider.Message, trim []Trimmed) []provider.Message {
	short := map[string]string{}
	for _, t := range trim {
		short[t.ID] = t.Text
	}
	out := make([]provider.Message, len(ms))
	for i, m := range ms {
		bs := make([]provider.Block, len(m.Blocks))
		for j, b := range m.Blocks {
			if r, ok := b.(provider.ToolResult); ok {
				if text, ok := short[r.ID]; ok {
					r.Content = []provider.Block{provider.Text{Text: text}}
					b = r
				}
			}
			bs[j] = b
		}
		m.Blocks = bs
		out[i] = m
	}
	return out
}

func trimmedText(text string) bool { return strings.Contains(text, trimMark) }

// Collapsed is a result told by its two ends; where says where the whole of it is, if
// anywhere. ok is false where that would save nothing.
func Collapsed(text, where string) (short string, ok bool) {
	if len(text) < 2*trimKeep || trimmedText(text) {
		return text, false
	}
	short = shorten(text, trimKeep)
	if where != "" {
		short = strings.Replace(short, again, "; the whole is in "+where+"]", 1)
	}
	return short, true
}
