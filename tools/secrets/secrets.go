// Package secrets finds keys, tokens and passwords in text and keeps them from
// leaving for a model.
//
// It owns what a secret looks like (rules.go: the formats of providers; names.go:
// values beside names that say what they are; pem.go: keys in blocks), the
// placeholders that stand for them, and the values behind those, which are in
// memory only. A Guard is a tools.Veil by its methods. It imports of forge only
// the words of that contract, and how files are replaced.
package secrets

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"forge/lazy"
	"forge/sorting"
	"forge/swap"
	"forge/tools"
)

// Options is what a Guard is made of.
type Options struct {
	// Key makes placeholders: the same secret has the same one wherever the key is
	// the same, and without the key a placeholder tells nothing of the secret, however
	// short that is. Nil: a key of this run alone.
	Key   []byte
	Allow []*regexp.Regexp // what is never a secret, though it looks like one
	Extra []*regexp.Regexp // what always is; its first group, if it has one
}

// Guard hides secrets. Its methods may be called from any goroutine.
type Guard struct {
	o Options

	mu     sync.Mutex
	values map[string]string // placeholder → value
	known  map[string]secret // value → what stands for it
	order  []string          // of the known values that are looked for everywhere, the longest first
}

type secret struct {
	kind        kind
	placeholder string
}

// New returns a Guard that knows no value yet.
func New(o Options) *Guard {
	if len(o.Key) == 0 {
		o.Key = make([]byte, keySize)
		rand.Read(o.Key) // it never fails
	}
	return &Guard{o: o, values: map[string]string{}, known: map[string]secret{}}
}

const keySize = 32

// Key reads the key in a file, and makes one where there is none. The file is for
// nobody but its owner: with it, a placeholder can be tried against guesses.
func Key(file string) ([]byte, error) {
	key, err := os.ReadFile(file)
	if err == nil && len(key) == keySize {
		return key, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	key = make([]byte, keySize)
	rand.Read(key)
	f, err := os.CreateTemp(filepath.Dir(file), "key-") // 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	// Another forge may have been quicker: then its key is ours too.
	if err := os.Link(f.Name(), file); errors.Is(err, os.ErrExist) {
		if other, err := os.ReadFile(file); err == nil && len(other) == keySize {
			return other, nil
		}
		return key, swap.Rename(f.Name(), file) // what is there is no key
	} else if err != nil {
		return key, swap.Rename(f.Name(), file) // a file system without links
	}
	return key, nil
}

// mark begins every placeholder. It is made of letters alone, so that it is one
// word in a shell, a URL and a JSON string.
const mark = "SECRET_"

const (
	idSize    = 10 // letters of a placeholder's own
	checkSize = 3  // how many of them prove that it is ours
)

var letters = lazy.Value[*base32.Encoding]{Of: func() *base32.Encoding {
	return base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
}}

func (g *Guard) mac(parts ...string) string {
	h := hmac.New(sha256.New, g.o.Key)
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return letters.Get().EncodeToString(h.Sum(nil))
}

// placeholder is what stands for a value.
func (g *Guard) placeholder(k kind, value string) string {
	id := g.mac("value", value)[:idSize-checkSize]
	return mark + kinds[k].slug + "_" + id + g.mac("check", kinds[k].slug, id)[:checkSize]
}

// maxKnown bounds how many secrets are kept in memory.
const maxKnown = 20000

// note remembers a value and returns what stands for it.
func (g *Guard) note(f find, value string) secret {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s, ok := g.known[value]; ok {
		return s
	}
	s := secret{f.kind, g.placeholder(f.kind, value)}
	if len(g.known) >= maxKnown {
		return s
	}
	g.known[value], g.values[s.placeholder] = s, value
	if everywhere(value) {
		i := sort.Search(len(g.order), func(i int) bool { return len(g.order[i]) <= len(value) })
		g.order = slices.Insert(g.order, i, value)
	}
	return s
}

// everywhere says whether a value is telling enough to be replaced where nothing
// around it says what it is.
func everywhere(value string) bool {
	if len(value) < 8 {
		return false
	}
	digit, letter, other := classes(value)
	return len(value) >= 16 || digit && letter || other && (digit || letter)
}

// Mask implements tools.Veil.
func (g *Guard) Mask(text string) (string, []tools.Hidden) {
	finds := g.find(text)
	if len(finds) == 0 {
		return text, nil
	}
	var b strings.Builder
	b.Grow(len(text))
	var hidden []tools.Hidden
	at := map[string]int{}
	from := 0
	for _, f := range finds {
		s := g.note(f, text[f.from:f.to])
		b.WriteString(text[from:f.from])
		b.WriteString(s.placeholder)
		from = f.to
		i, ok := at[s.placeholder]
		if !ok {
			i = len(hidden)
			at[s.placeholder] = i
			hidden = append(hidden, tools.Hidden{Kind: kinds[s.kind].label, Placeholder: s.placeholder})
		}
		hidden[i].Count++
	}
	b.WriteString(text[from:])
	return b.String(), hidden
}

// Learn implements tools.Veil.
func (g *Guard) Learn(text string) {
	for _, f := range g.find(text) {
		g.note(f, text[f.from:f.to])
	}
}

// A find is a secret in a text.
type find struct {
	from, to int
	kind     kind
}

// find gives the secrets of a text in order, none inside another.
func (g *Guard) find(text string) []find {
	var finds []find
	scan(text, func(f find) { finds = append(finds, f) })
	for _, re := range g.o.Extra {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			from, to := m[0], m[1]
			if len(m) > 3 && m[2] >= 0 {
				from, to = m[2], m[3]
			}
			if from < to {
				finds = append(finds, find{from, to, kindCustom})
			}
		}
	}
	finds = slices.DeleteFunc(finds, func(f find) bool {
		value := text[f.from:f.to]
		return strings.Contains(value, mark) && g.hasOurs(value) || f.kind != kindCustom && g.allowed(value)
	})
	// What was once seen as a secret is one wherever it stands.
	g.mu.Lock()
	for _, value := range g.order {
		for from := 0; ; {
			i := strings.Index(text[from:], value)
			if i < 0 {
				break
			}
			finds = append(finds, find{from + i, from + i + len(value), g.known[value].kind})
			from += i + len(value)
		}
	}
	g.mu.Unlock()
	if len(finds) < 2 {
		return finds
	}
	sorting.By(finds, func(a, b find) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	out := finds[:1]
	for _, f := range finds[1:] {
		last := &out[len(out)-1]
		if f.from >= last.to {
			out = append(out, f)
		} else if f.to > last.to { // two that overlap are one secret: nothing of either may stay
			last.to = f.to
		}
	}
	return out
}

func (g *Guard) allowed(value string) bool {
	return slices.ContainsFunc(g.o.Allow, func(re *regexp.Regexp) bool { return re.MatchString(value) })
}

// each calls f for every placeholder in text that is one of ours.
func (g *Guard) each(text string, f func(from, to int, k kind)) {
	for from := 0; ; {
		i := strings.Index(text[from:], mark)
		if i < 0 {
			return
		}
		from += i
		if to, k, ok := g.parse(text[from:]); ok {
			f(from, from+to, k)
			from += to
		} else {
			from += len(mark)
		}
	}
}

// parse reads the placeholder s begins with.
func (g *Guard) parse(s string) (n int, k kind, ok bool) {
	for k, of := range kinds {
		rest, found := strings.CutPrefix(s[len(mark):], of.slug+"_")
		if !found || len(rest) < idSize {
			continue
		}
		id := rest[:idSize-checkSize]
		if g.mac("check", of.slug, id)[:checkSize] == rest[idSize-checkSize:idSize] {
			return len(mark) + len(of.slug) + 1 + idSize, kind(k), true
		}
	}
	return 0, 0, false
}

func (g *Guard) hasOurs(text string) (has bool) {
	g.each(text, func(int, int, kind) { has = true })
	return has
}

// Held implements tools.Veil.
func (g *Guard) Held(text string) (held []tools.Hidden, err error) {
	at := map[string]int{}
	g.each(text, func(from, to int, k kind) {
		p := text[from:to]
		i, ok := at[p]
		if !ok {
			i = len(held)
			at[p] = i
			held = append(held, tools.Hidden{Kind: kinds[k].label, Placeholder: p})
			g.mu.Lock()
			if _, known := g.values[p]; !known && err == nil {
				err = unknown(p)
			}
			g.mu.Unlock()
		}
		held[i].Count++
	})
	return held, err
}

func unknown(placeholder string) error {
	return fmt.Errorf("the value behind %s is not known in this run; read the file it stands in, or run the command that shows it, once more", placeholder)
}

// Reveal implements tools.Veil.
func (g *Guard) Reveal(text string, form tools.Form) (string, error) {
	var b strings.Builder
	var failed error
	last := 0
	g.each(text, func(from, to int, _ kind) {
		p := text[from:to]
		g.mu.Lock()
		value, ok := g.values[p]
		g.mu.Unlock()
		if !ok {
			failed = errors.Join(failed, unknown(p))
			return
		}
		b.WriteString(text[last:from])
		last = to
		switch form {
		case tools.InJSON:
			value = inJSON(value)
		case tools.InCommand:
			var err error
			if value, err = inCommand(text, from, value); err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", p, err))
			}
		}
		b.WriteString(value)
	})
	if failed != nil {
		return "", failed
	}
	b.WriteString(text[last:])
	return b.String(), nil
}

func inJSON(value string) string {
	b, err := json.Marshal(value)
	if err != nil {
		return value
	}
	return string(b[1 : len(b)-1])
}
