package permission

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A loop over words that are written out does what its body does with each of them; a
// loop over a pattern, what its body does with whatever file the pattern matches.

// maxPasses is how many words of a loop its body is judged with. More are a question.
const maxPasses = 64

// loops judges a for loop.
func (s *scan) loops(c *syntax.ForClause, in []string, f feed) []string {
	wi, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select {
		s.ro = false
		s.expand(c.Loop)
		return union(in, s.each(c.Do, in, f))
	}
	s.expand(c.Loop)
	s.cwds = in
	items := s.items(wi)
	s.loopVar(wi)
	if len(items) == 0 {
		s.ro = false
		return union(in, s.each(c.Do, in, f))
	}
	name := wi.Name.Value
	out, commands := in, 0
	for i, item := range items {
		if s.passes++; s.passes > 4*maxPasses { // loops within loops
			s.odd()
			break
		}
		s.loop[name] = item
		out = union(out, s.each(c.Do, in, f))
		if i == 0 { // what is repeated is written once
			commands = s.commands
		}
		s.commands = commands
		in = out
	}
	delete(s.loop, name)
	return out
}

// items are the words of a loop, where each is known; none where its variable is one
// that the shell or programs look at.
func (s *scan) items(wi *syntax.WordIter) []word {
	if _, within := s.loop[wi.Name.Value]; within || !wi.InPos.IsValid() || !loopName(wi.Name.Value) {
		return nil
	}
	var out []word
	for _, w := range wi.Items {
		for _, v := range s.words(w, true) {
			if !v.lit && !(v.glob && s.fileWord(v)) || len(out) == maxPasses {
				return nil
			}
			out = append(out, v)
		}
	}
	return out
}

// loopName reports whether a variable means something to this line alone.
func loopName(name string) bool {
	low := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" || len(name) == 1 && name != "_"
	return low && variableLevel(name) == Low && !slices.Contains([]string{"_", "histchars", "auto_resume"}, name)
}

// loopVar keeps what is known of a loop's variable behind the loop.
func (s *scan) loopVar(wi *syntax.WordIter) {
	delete(s.vars, wi.Name.Value)
	if l := variableLevel(wi.Name.Value); l > Low {
		s.setsVariable(wi.Name.Value, "")
	}
	if len(wi.Items) == 1 {
		s.vars[wi.Name.Value] = s.word(wi.Items[0]).path
	}
}

// words is what a word becomes: itself, or where it holds one plain list or range in
// braces, each of what that lists. unfold is false where it names the program.
func (s *scan) words(w *syntax.Word, unfold bool) []word {
	whole := s.word(w)
	t := w.Lit()
	if !unfold || whole.lit || t == "" || strings.ContainsAny(t, "\\~$`") || strings.Count(t, "{") != 1 || strings.Count(t, "}") != 1 {
		return []word{whole}
	}
	before, rest, _ := strings.Cut(t, "{")
	list, after, ok := strings.Cut(rest, "}")
	if !ok {
		return []word{whole}
	}
	var out []word
	for _, item := range listed(list) {
		one := s.word(&syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: before + item + after}}})
		if one.text == "" {
			return []word{whole}
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return []word{whole}
	}
	return out
}

// listed is what stands in braces, as a,b or 1..5; nil where it is anything else.
func listed(list string) []string {
	if strings.Contains(list, ",") {
		if strings.Trim(list, ",-_./*?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" || strings.Contains(list, "..") {
			return nil
		}
		return strings.Split(list, ",")
	}
	from, to, ok := strings.Cut(list, "..")
	a, okA := small(from)
	b, okB := small(to)
	if !ok || !okA || !okB || a > b || b-a >= maxPasses {
		return nil
	}
	var out []string
	for ; a <= b; a++ {
		out = append(out, strconv.Itoa(a))
	}
	return out
}

// small reads a number below 10,000 that begins with no 0.
func small(t string) (int, bool) {
	n, err := strconv.Atoi(t)
	return n, err == nil && len(t) < 5 && strconv.Itoa(n) == t && n >= 0
}
