// Package lang says forge's own words in the person's language.
//
// The English text is the key: T("no command /%s", name) reads well where it
// stands, and shows English where a language has no word for it. A language is a
// file in words, named by its tag (zh.json), or several (zh.mcp.json): adding one
// adds no code. It owns which language is in force, which main sets once, before
// any face begins: the one setting of the program that is global, since the
// smallest helper of a face has words to say, and a parameter through all of them
// would say nothing more. Only the faces call it: what goes to a model, to a log
// or into a file is English always. It imports nothing of forge.
package lang

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
)

//go:embed words
var embedded embed.FS

var files fs.FS = embedded // a test adds a language to them

// English is the tag of the language the keys are written in.
const English = "en"

var current atomic.Pointer[language]

type language struct {
	tag      string
	words    map[string]string
	patterns []*pattern          // of words, for Said
	entries  map[string]*pattern // those with verbs, for As
}

// T is text in the language in force, formatted as fmt.Sprintf does if there are
// args. A translation may take the args in another order with %[2]s.
func T(text string, args ...any) string {
	if l := current.Load(); l != nil {
		if said, ok := l.words[text]; ok {
			text = said
		}
	}
	if plain.Load() {
		text = oneCell.Replace(text)
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Count is a number of things in the language in force: one where n is 1, else many,
// which formats n. Both are texts as T takes them.
func Count(n int, one, many string) string {
	if n == 1 {
		return T(one)
	}
	return T(many, n)
}

var plain atomic.Bool

// Plainly makes T write signs of one cell where a terminal may draw two: those whose
// width is ambiguous. What a text formats stays as it is.
func Plainly(on bool) { plain.Store(on) }

var oneCell = strings.NewReplacer("·", "-", "…", "~", "↑", "^", "↓", "v", "←", "<", "→", ">", "—", "-", "–", "-",
	"“", `"`, "”", `"`, "‘", "'", "’", "'", "×", "x", "±", "+", "−", "-", "●", "*")

// N marks a text that is kept in a table and said later with T; it returns it as
// it is. The test that finds missing words looks for both.
func N(text string) string { return text }

// Tag is the language in force.
func Tag() string {
	if l := current.Load(); l != nil {
		return l.tag
	}
	return English
}

// Tags lists the languages there are, English first.
func Tags() []string {
	tags := []string{English}
	entries, _ := fs.ReadDir(files, "words")
	for _, e := range entries {
		tag, _, _ := strings.Cut(e.Name(), ".")
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// Name is what a language calls itself, in its own words; "" for one there is not.
func Name(tag string) string {
	own := N("English")
	if tag == English {
		return own
	}
	words, err := Words(tag)
	if err != nil {
		return ""
	}
	return words[own]
}

// Words reads the catalogue of a language: English text to what is said for it.
func Words(tag string) (map[string]string, error) {
	words := map[string]string{}
	entries, err := fs.ReadDir(files, "words")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if of, _, _ := strings.Cut(e.Name(), "."); of != tag {
			continue
		}
		b, err := fs.ReadFile(files, path.Join("words", e.Name()))
		if err != nil {
			return nil, err
		}
		some := map[string]string{}
		if err := json.Unmarshal(b, &some); err != nil {
			return nil, fmt.Errorf("read the words of %s: %w", e.Name(), err)
		}
		for k, v := range some {
			if old, ok := words[k]; ok && old != v {
				return nil, fmt.Errorf("%s: %q is said in two ways", e.Name(), k)
			}
			words[k] = v
		}
	}
	return words, nil
}

// Use puts a language in force. An unknown tag is an error that names those there
// are; the language then stays what it was.
func Use(tag string) error {
	if tag == "" || tag == English {
		current.Store(nil)
		return nil
	}
	if !slices.Contains(Tags(), tag) {
		return Unknown(tag)
	}
	words, err := Words(tag)
	if err != nil {
		return err
	}
	patterns, entries := readBack(words)
	current.Store(&language{tag: tag, words: words, patterns: patterns, entries: entries})
	return nil
}

// Unknown is the error of a language there is no catalogue of.
func Unknown(tag string) error {
	return fmt.Errorf(T("no language %q; there are %s"), tag, strings.Join(Tags(), ", "))
}

// Detect reads the language a person's environment asks for, as gettext does:
// LC_ALL, LC_MESSAGES, LANG, the first that is set. What forge does not speak is
// English.
func Detect(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := getenv(name)
		if v == "" {
			continue
		}
		tag := strings.ToLower(v)
		if i := strings.IndexAny(tag, "_.@-"); i >= 0 {
			tag = tag[:i]
		}
		if slices.Contains(Tags(), tag) {
			return tag
		}
		return English
	}
	return English
}
