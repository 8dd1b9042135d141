package anthropic

import (
	"strings"

	"forge/provider"
)

// cacheMark asks the server to keep everything up to and including its block for
// the next request. All marks have the same short life, so that the wire's rule
// about the order of lives always holds.
const cacheMark = `,"cache_control":{"type":"ephemeral"}`

// marks says where cache marks stand: at most four, in the order the wire reads a
// request. The last two user turns bear one each: the second to last is where the
// request before this one ended, so that its cache is found however many blocks
// one turn adds (a mark looks back over twenty blocks only); the last is where the
// next request will look. As turns are added the marks move; a mark is no part of
// what is cached, so a moved one loses nothing.
type marks struct {
	tools, system bool
	turn          map[int]bool
}

func (e *encoder) marks(turns []turn) marks {
	if e.noCache || e.quirks.Refused("cache_control") {
		return marks{}
	}
	m := marks{tools: true, system: true, turn: map[int]bool{}}
	for i := len(turns) - 1; i >= 0 && len(m.turn) < 2; i-- {
		if turns[i].role == provider.User && markable(turns[i].blocks) >= 0 {
			m.turn[i] = true
		}
	}
	return m
}

// markable is the last block that may bear a mark; -1: none. Thinking and empty
// text may not.
func markable(blocks []provider.Block) int {
	for i := len(blocks) - 1; i >= 0; i-- {
		switch b := blocks[i].(type) {
		case provider.Text:
			if strings.TrimSpace(b.Text) != "" {
				return i
			}
		case provider.ToolResult, provider.Image:
			return i
		}
	}
	return -1
}
