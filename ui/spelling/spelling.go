// Package spelling asks the person's own spelling checker about the words of a prompt:
// hunspell, aspell or enchant, whichever is there and has the dictionary.
//
// It owns which words have a spelling at all, and the checkers' processes: one for each
// language, started when the first word is asked about, ended by Close. It keeps what it
// was told for as long as the languages stay. It knows no screen; that asks it off its
// loop, and so do the lines and the doctor, from any goroutine.
package spelling

import (
	"errors"
	"slices"
	"sync"

	"forge/tools/child"
)

var errClosed = errors.New("the spelling checker was ended")

// Verdict is what the checkers say of a word.
type Verdict struct {
	Right bool
	Meant []string // what may have been meant, best first
}

// Checker asks in some languages: a word that is right in one of them is right.
type Checker struct {
	programs []Program
	environ  []string

	talk     sync.Mutex // held while a checker is asked
	known    map[string]Verdict
	speakers []*speaker
	failed   error // why nothing is asked any more
	revived  int   // how often one that had ended was started anew

	mu      sync.Mutex // of what follows; never held while a checker is waited for
	langs   []string
	age     int // of langs
	running []*child.Process
	closed  bool
}

// New returns a checker that has started nothing. programs are usually Programs().
func New(langs []string, programs []Program, environ []string) *Checker {
	return &Checker{programs: programs, environ: environ, langs: langs}
}

// On reports whether there is a language to ask about.
func (c *Checker) On() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.langs) > 0 && !c.closed
}

// Use changes the languages. It waits for the checkers that were at work.
func (c *Checker) Use(langs []string) {
	c.mu.Lock()
	c.langs, c.age = langs, c.age+1
	c.mu.Unlock()
	c.end()
	c.talk.Lock()
	defer c.talk.Unlock()
	c.speakers, c.known, c.failed, c.revived = nil, nil, nil, 0
}

// Close ends every checker, also one that is being waited for, and starts none any more.
func (c *Checker) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
}

func (c *Checker) end() {
	c.mu.Lock()
	running := c.running
	c.running = nil
	c.mu.Unlock()
	var all sync.WaitGroup
	for _, p := range running {
		all.Go(p.End)
	}
	all.Wait()
}

// Check says how words stand. It starts the checkers where they are not at work, and once
// more where one that had answered has ended. After an error nothing is asked until Again
// or Use.
func (c *Checker) Check(words []string) (map[string]Verdict, error) {
	c.talk.Lock()
	defer c.talk.Unlock()
	found := map[string]Verdict{}
	for _, w := range words {
		v, ok := c.known[w]
		if !ok {
			var err error
			if v, err = c.look(w); err != nil {
				return found, err
			}
			if c.known == nil || len(c.known) > keptWords {
				c.known = map[string]Verdict{}
			}
			c.known[w] = v
		}
		found[w] = v
	}
	return found, nil
}

// keptWords is how many verdicts are kept.
const keptWords = 20000

// Again lets the checkers be started anew after an error: a person asks for it.
func (c *Checker) Again() {
	c.talk.Lock()
	defer c.talk.Unlock()
	c.failed, c.revived = nil, 0
}

// maxRevived is how often a checker that ends over its work is started anew.
const maxRevived = 5

func (c *Checker) look(word string) (v Verdict, err error) {
	if err := c.ready(); err != nil {
		return v, err
	}
	for _, s := range c.speakers {
		right, meant, err := s.look(word)
		if err != nil {
			if c.give(err); s.answered && c.revived < maxRevived {
				c.failed = nil // it was at work: one more begins, and has to answer this word
				c.revived++
				return c.look(word)
			}
			return v, err
		}
		if right {
			return Verdict{Right: true}, nil
		}
		for _, m := range meant {
			if !slices.Contains(v.Meant, m) {
				v.Meant = append(v.Meant, m)
			}
		}
	}
	return v, nil
}

// ready starts what is not at work. The caller has talk.
func (c *Checker) ready() error {
	if c.failed != nil {
		return c.failed
	}
	c.mu.Lock()
	langs, age, closed := c.langs, c.age, c.closed
	c.mu.Unlock()
	if closed {
		return errClosed
	}
	if len(c.speakers) == len(langs) {
		return nil
	}
	c.speakers = nil
	for _, lang := range langs {
		s, err := speak(c.programs, lang, c.environ, func(p *child.Process) bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.closed || c.age != age {
				return false
			}
			c.running = append(c.running, p)
			return true
		})
		if err != nil {
			c.give(err)
			return err
		}
		c.speakers = append(c.speakers, s)
	}
	return nil
}

// give ends the checkers after an error, and keeps it. The caller has talk.
func (c *Checker) give(err error) {
	c.end()
	c.speakers, c.failed = nil, err
}

// Learn puts a word into the person's own dictionary of the first language.
func (c *Checker) Learn(word string) error {
	c.talk.Lock()
	defer c.talk.Unlock()
	if err := c.ready(); err != nil {
		return err
	}
	if len(c.speakers) == 0 {
		return nil
	}
	if err := c.speakers[0].learn(word); err != nil {
		c.give(err)
		return err
	}
	if c.known == nil {
		c.known = map[string]Verdict{}
	}
	c.known[word] = Verdict{Right: true}
	return nil
}

// Wrong are the words of a text that look wrong, each once, in their order.
func (c *Checker) Wrong(text string) (wrong []string, verdicts map[string]Verdict, err error) {
	var words []string
	for _, w := range Words(text) {
		if s := text[w.From:w.To]; !slices.Contains(words, s) {
			words = append(words, s)
		}
	}
	verdicts, err = c.Check(words)
	for _, w := range words {
		if v, ok := verdicts[w]; ok && !v.Right {
			wrong = append(wrong, w)
		}
	}
	return wrong, verdicts, err
}

// Who says which program checks a language, by starting and ending it; the error is a
// *Missing where none does.
func Who(programs []Program, lang string, environ []string) (program string, err error) {
	s, err := speak(programs, lang, environ, func(*child.Process) bool { return true })
	if err != nil {
		return "", err
	}
	s.process.End()
	return s.name, nil
}
