package session

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"forge/provider"
)

// OpenCalls are those of the last message that nothing answers yet, in their order.
func OpenCalls(rs []Record) (open []provider.ToolUse) {
	came := map[string]bool{}
	for _, r := range rs {
		switch {
		case r.Message != nil:
			open = r.Message.ToolUses()
			clear(came)
		case r.Early != nil:
			for _, b := range r.Early.Blocks {
				if b, ok := b.(provider.ToolResult); ok {
					came[b.ID] = true
				}
			}
		}
	}
	var out []provider.ToolUse
	for _, u := range open {
		if !came[u.ID] {
			out = append(out, u)
		}
	}
	return out
}

// Orphan is the conversation of an agent that had not reported when its parent's forge
// ended.
type Orphan struct {
	Call    string // of the parent
	Session string // its ID
	Agent   string
	Records []Record
	Below   []Orphan // those it had started itself
}

// Orphans finds what became of the calls in rs that were another agent's work and that
// nothing answers, in the order of the calls. It changes nothing.
func (s *Session) Orphans(rs []Record) []Orphan { return orphans(s.path, rs) }

func orphans(parent string, rs []Record) (out []Orphan) {
	open := OpenCalls(rs)
	if len(open) == 0 {
		return nil
	}
	dir, id := strings.TrimSuffix(parent, fileExt)+childrenExt, strings.TrimSuffix(filepath.Base(parent), fileExt)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	of := map[string]string{}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if !strings.HasSuffix(path, fileExt) {
			continue
		}
		if h, ok := headerOf(path); ok && h.Parent == id {
			of[h.Call] = path
		}
	}
	for _, u := range open {
		path, ok := of[u.ID]
		if !ok {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		child, _, _, _, err := read(f)
		f.Close()
		if err != nil || len(child) == 0 || child[0].Header == nil {
			continue
		}
		out = append(out, Orphan{Call: u.ID, Session: strings.TrimSuffix(filepath.Base(path), fileExt), Agent: child[0].Header.Agent, Records: child[1:], Below: orphans(path, child[1:])})
	}
	return out
}

// headerOf reads the first line of a file.
func headerOf(path string) (Header, bool) {
	if regular(path) != nil {
		return Header{}, false
	}
	f, err := os.Open(path)
	if err != nil {
		return Header{}, false
	}
	defer f.Close()
	text, _, err := readLine(bufio.NewReader(f))
	if err != nil {
		return Header{}, false
	}
	r, err := tryDecode(text)
	if err != nil || r.Header == nil {
		return Header{}, false
	}
	return *r.Header, true
}
