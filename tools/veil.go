package tools

import (
	"io"
	"slices"
	"strings"
)

// Veil hides secrets from models: what leaves for one has placeholders in their
// place, and what a model asks for gets the values back where they stay on this
// machine. Its methods may be called from any goroutine.
type Veil interface {
	// Mask gives text with its secrets replaced, and what was replaced.
	Mask(text string) (string, []Hidden)
	// Learn looks at a whole text, so that a part of it shown later is masked as
	// well, and a placeholder a model knows from an earlier run has a value again.
	Learn(text string)
	// Held lists the placeholders in a text. The error names one whose value is not
	// known in this run.
	Held(text string) ([]Hidden, error)
	// Reveal puts the values back, written as form asks. It fails where a value is
	// not known, or cannot be written in that form.
	Reveal(text string, form Form) (string, error)
	// Stream gives a writer that masks what comes in pieces and passes it on to w.
	// What may be the begin of a secret is held back until more comes, or Close.
	Stream(w io.Writer) io.WriteCloser
}

// Form is how a value is written where it stands.
type Form int

// The forms.
const (
	Plain     Form = iota
	InJSON         // inside a JSON string
	InCommand      // inside a command line of a POSIX shell, where it is one word's text and nothing more
)

// Hidden is a secret that was replaced: its Kind in words, "GitHub token", its
// placeholder, and how often it stood there.
type Hidden struct {
	Kind        string
	Placeholder string
	Count       int
}

// HiddenSummary says what was hidden, for a person: "2 GitHub tokens, password".
func HiddenSummary(hs []Hidden) string {
	var kinds []string
	count := map[string]int{}
	seen := map[string]bool{}
	for _, h := range hs {
		if seen[h.Placeholder] {
			continue
		}
		seen[h.Placeholder] = true
		if count[h.Kind]++; count[h.Kind] == 1 {
			kinds = append(kinds, h.Kind)
		}
	}
	for i, k := range kinds {
		if n := count[k]; n > 1 {
			kinds[i] = amountOf(n, k)
		}
	}
	return strings.Join(kinds, ", ")
}

func amountOf(n int, kind string) string {
	var b []byte
	for ; n > 0; n /= 10 {
		b = append(b, byte('0'+n%10))
	}
	slices.Reverse(b)
	return string(b) + " × " + kind
}

// told is the line under a masked text by which a model learns what the
// placeholders are.
func told(hs []Hidden) string {
	n := "a secret was"
	if len(hs) > 1 {
		n = "secrets were"
	}
	return "\n[" + n + " hidden from you here (" + HiddenSummary(hs) + "). Use " + hs[0].Placeholder +
		" and the like exactly as they stand: the value is put in where a file is written or a command runs]"
}
