package spelling

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"forge/lazy"
	"forge/programs"
	"forge/tools/child"
	"forge/ui/lang"
)

// Program is a spelling checker that speaks as ispell does behind its -a.
type Program struct {
	Name string
	Args func(tongue string) []string
}

// Programs are those that are taken, the first that has the dictionary.
func Programs() []Program {
	return []Program{
		{"hunspell", func(tongue string) []string { return []string{"-a", "-i", "utf-8", "-d", tongue} }},
		{"aspell", func(tongue string) []string { return []string{"-a", "--encoding=utf-8", "--lang=" + tongue} }},
		{"enchant-2", func(tongue string) []string { return []string{"-a", "-d", tongue} }},
		{"enchant", func(tongue string) []string { return []string{"-a", "-d", tongue} }},
	}
}

// language is how languages are named: "en", "en_GB", "de-AT". Nothing else is given to
// a program.
var language = lazy.Regexp{Expr: `^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$`}

// Languages reads the setting: names of languages parted by commas; "off" and nothing
// are none.
func Languages(setting string) (langs []string, err error) {
	if setting = strings.TrimSpace(setting); setting == "" || setting == "off" {
		return nil, nil
	}
	for _, l := range strings.Split(setting, ",") {
		if l = strings.TrimSpace(l); !language.Get().MatchString(l) {
			return nil, fmt.Errorf("%q is no language; write off, or languages as \"en_GB\" or \"en_GB, de_DE\"", l)
		}
		langs = append(langs, strings.ReplaceAll(l, "-", "_"))
	}
	return langs, nil
}

// Missing is that no checker has a language.
type Missing struct {
	Lang string
	None bool   // there is no checker at all
	Said string // the last thing one said
}

func (m *Missing) Error() string {
	if m.None {
		return lang.T("no spelling checker is installed: hunspell, aspell or enchant")
	}
	return lang.T("no dictionary for %s: %s", m.Lang, m.Said)
}

// patience is how long a checker may take for an answer.
const patience = 5 * time.Second

// maxAnswer is how long an answer may be, in bytes, and a line of it.
const maxAnswer = 64 << 10

// speaker is one checker at work, for one language.
type speaker struct {
	name, lang string
	process    *child.Process
	out        *bufio.Reader
	errors     *last
	answered   bool // a word, since it was started
}

// speak starts the first program that has the language.
func speak(checkers []Program, tongue string, env []string, starts func(*child.Process) bool) (*speaker, error) {
	missing := &Missing{Lang: tongue, None: true}
	for _, p := range checkers {
		path, err := programs.By(env, p.Name)
		if err != nil {
			continue
		}
		missing.None = false
		var said last
		process, err := child.Start(append([]string{path}, p.Args(tongue)...), "", env, &said, nil)
		if err != nil {
			missing.Said = err.Error()
			continue
		}
		if !starts(process) {
			process.End()
			return nil, errClosed
		}
		s := &speaker{name: p.Name, lang: tongue, process: process, out: bufio.NewReaderSize(process.Stdout, maxAnswer), errors: &said}
		var banner string
		err = s.within(func() (err error) { banner, err = s.line(); return err })
		if err == nil && strings.HasPrefix(banner, "@(#)") {
			if err = s.within(func() error { return s.say("!") }); err == nil {
				return s, nil
			}
		}
		process.End()
		if missing.Said = said.String(); missing.Said == "" {
			missing.Said = lang.T("%s does not answer", p.Name)
		}
	}
	return nil, missing
}

// within does something that a checker answers, and ends the checker where it takes too
// long, which ends what waits for it. The error says what the checker did.
func (s *speaker) within(do func() error) error {
	var late atomic.Bool
	t := time.AfterFunc(patience, func() { late.Store(true); s.process.End() })
	defer t.Stop()
	err := do()
	var flood *tooMuch
	switch {
	case err == nil, errors.As(err, &flood):
		return err
	case late.Load():
		return errors.New(lang.T("%s does not answer", s.name))
	}
	s.process.End() // its last words are there then
	if said := s.errors.String(); said != "" {
		return errors.New(lang.T("%s has ended: %s", s.name, said))
	}
	return errors.New(lang.T("%s has ended", s.name))
}

func (s *speaker) say(line string) error {
	_, err := io.WriteString(s.process.Stdin, line+"\n")
	return err
}

// tooMuch is that a checker writes what nobody asked for.
type tooMuch struct{ name string }

func (t *tooMuch) Error() string {
	return lang.T("%s writes no answers but more than %d KB", t.name, maxAnswer>>10)
}

// line is the next line a checker writes.
func (s *speaker) line() (string, error) {
	line, err := s.out.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		err = &tooMuch{s.name}
	}
	return strings.TrimRight(string(line), "\r\n"), err
}

// look asks about one word: whether it is right, and what may have been meant.
func (s *speaker) look(word string) (right bool, meant []string, err error) {
	err = s.within(func() error {
		if err := s.say("^" + plainly(word)); err != nil {
			return err
		}
		right = true
		for read := 0; ; {
			line, err := s.line()
			if err != nil {
				return err
			}
			if read += len(line) + 1; read > maxAnswer {
				return &tooMuch{s.name}
			}
			switch {
			case line == "":
				return nil
			case line[0] == '#':
				right = false
			case line[0] == '&' || line[0] == '?':
				right = false
				if _, list, ok := strings.Cut(line, ": "); ok {
					meant = append(meant, strings.Split(list, ", ")...)
				}
			}
		}
	})
	s.answered = s.answered || err == nil
	return right, meant, err
}

// learn puts a word into the person's own dictionary of the checker.
func (s *speaker) learn(word string) error {
	return s.within(func() error { return errors.Join(s.say("*"+plainly(word)), s.say("#")) })
}

// last keeps the last line that was written to it.
type last struct {
	mu   sync.Mutex
	text string
}

func (l *last) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(string(p)) {
		if line = strings.TrimSpace(line); line != "" {
			l.text = line[:min(len(line), 300)]
		}
	}
	return len(p), nil
}

func (l *last) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.ToValidUTF8(l.text, "")
}
