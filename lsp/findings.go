package lsp

import (
	"encoding/json"
	"strings"
	"sync"
	"unicode"
)

// Bounds of what is kept of a server's findings.
const (
	mostFiles    = 2000 // with findings
	mostFindings = 200  // of one file
	mostInAll    = 20_000
	mostWords    = 400 // letters of one
)

// Severities, as the protocol numbers them.
const (
	severityError   = 1
	severityWarning = 2
)

// A finding is something that is wrong in a file.
type finding struct {
	at       position
	severity int
	by, code string // what found it, and the number it gives it
	text     string
}

// key is what makes a finding the same one when lines have moved.
type key struct {
	severity       int
	by, code, text string
}

func (f finding) key() key { return key{f.severity, f.by, f.code, f.text} }

// said is what a server has said last of one file.
type said struct {
	version  int // of the text it means; -1: it does not say
	seq      int // when, in order; 0: never
	findings []finding
}

// findings is what a server says of files. Its methods may be called from any
// goroutine.
type findings struct {
	mu    sync.Mutex
	seq   int
	files map[string]said
	kept  int           // findings, of all files
	moved chan struct{} // closed with the next word of the server's
}

func newFindings() *findings {
	return &findings{files: map[string]said{}, moved: make(chan struct{})}
}

// take notes what a server publishes.
func (f *findings) take(p publishParams) {
	path := pathOf(p.URI)
	if path == "" {
		return
	}
	s := said{version: -1}
	if p.Version != nil {
		s.version = *p.Version
	}
	for _, d := range p.Diagnostics[:min(len(p.Diagnostics), mostFindings)] {
		s.findings = append(s.findings, findingOf(d))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq++
	s.seq = f.seq
	was, known := f.files[path]
	if !known && len(f.files) >= mostFiles {
		f.drop()
	}
	if known || len(f.files) < mostFiles {
		f.kept -= len(was.findings)
		s.findings = s.findings[:min(len(s.findings), mostInAll-f.kept)]
		f.kept += len(s.findings)
		f.files[path] = s
	}
	f.stir()
}

// drop forgets the file of which it was said for longest that nothing is wrong in it, so
// that one that is edited has room.
func (f *findings) drop() {
	oldest := ""
	for path, s := range f.files {
		if len(s.findings) == 0 && (oldest == "" || s.seq < f.files[oldest].seq) {
			oldest = path
		}
	}
	if oldest != "" {
		delete(f.files, oldest)
	}
}

// stir wakes whoever waits for a word of the server's.
func (f *findings) stir() {
	close(f.moved)
	f.moved = make(chan struct{})
}

func (f *findings) wake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stir()
}

// next is closed when the server has said something more.
func (f *findings) next() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.moved
}

func (f *findings) of(path string) said {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files[path]
}

// now is the number of the last word.
func (f *findings) now() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq
}

// all is what there is of every file.
func (f *findings) all() map[string]said {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(map[string]said, len(f.files))
	for p, s := range f.files {
		out[p] = s
	}
	return out
}

// count is how many there are as bad as level, or worse.
func (f *findings) count(level int) (n int) {
	for _, s := range f.all() {
		n += len(grave(s.findings, level))
	}
	return n
}

func findingOf(d diagnostic) finding {
	f := finding{at: d.Range.Start, severity: d.Severity, by: plain(d.Source, 40)}
	if f.severity == 0 { // it is ours to say, then
		f.severity = severityError
	}
	var text string
	if json.Unmarshal(d.Message, &text) != nil {
		var markup struct{ Value string }
		_ = json.Unmarshal(d.Message, &markup)
		text = markup.Value
	}
	f.text = plain(text, mostWords)
	var code any
	if json.Unmarshal(d.Code, &code) == nil {
		switch code := code.(type) {
		case string:
			f.code = plain(code, 60)
		case float64:
			f.code = plain(string(d.Code), 20)
		}
	}
	return f
}

// grave are the findings as bad as level, or worse.
func grave(all []finding, level int) (out []finding) {
	for _, f := range all {
		if f.severity <= level {
			out = append(out, f)
		}
	}
	return out
}

// compare tells which findings are new, and how many stayed and went. The same words
// on another line are the same finding.
func compare(before, after []finding) (fresh []finding, stayed, gone int) {
	had := map[key]int{}
	for _, f := range before {
		had[f.key()]++
	}
	for _, f := range after {
		if k := f.key(); had[k] > 0 {
			had[k]--
			stayed++
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh, stayed, len(before) - stayed
}

// plain is a server's text on one line, without what nobody sees, and not longer than
// most letters.
func plain(s string, most int) string {
	var b strings.Builder
	n, blank := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) {
			blank = n > 0
			continue
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar || unicode.Is(unicode.Co, r) {
			continue
		}
		if n >= most {
			b.WriteString("…")
			break
		}
		if blank {
			b.WriteByte(' ')
			n, blank = n+1, false
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
