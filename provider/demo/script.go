package demo

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"forge/provider"
)

// Script is a parsed script.
type Script struct {
	Title   string
	Pace    float64 // words a second; 0: not said
	Closing string  // said when the script is over
	turns   []turn
	agents  map[string][]turn // of sub-agents, by name
	aside   *turn
}

// Turns is how many requests the script answers before its closing.
func (s *Script) Turns() int { return len(s.turns) }

// turn is the answer to one request: what always comes, then the first branch
// whose condition holds.
type turn struct {
	line     int
	steps    []step
	branches []branch
	loop     bool                // it answers every request from its place on
	stop     provider.StopReason // StopNone: by whether there are calls
}

type branch struct {
	when  *condition // nil: otherwise
	steps []step
}

// step is one directive of a turn.
type step struct {
	line   int
	kind   string // think, text, call, pause, error, expect, usage
	words  string // of think and text; the arguments of a call
	name   string // of a call
	pause  time.Duration
	always bool // pause forever; error always
	times  int
	err    provider.Error
	cut    bool
	usage  map[string]int
	expect *condition
}

// condition is a question about a conversation.
type condition struct {
	not  bool
	what string // user, result, failed, refused, prompt, tool, system, task, seen
	tool string // of [NAME], or of tool
	text string
	re   *regexp.Regexp // nil: text is taken as it is
}

func (c *condition) String() string {
	s := c.what
	if c.not {
		s = "not " + s
	}
	switch {
	case c.what == "tool":
		return s + " " + c.tool
	case c.tool != "":
		s += "[" + c.tool + "]"
	}
	if c.re != nil {
		return s + " /" + c.re.String() + "/"
	}
	if c.text != "" {
		s += " " + c.text
	}
	return s
}

func (c *condition) match(s string) bool {
	if c.re != nil {
		return c.re.MatchString(s)
	}
	return strings.Contains(s, c.text)
}

// holds answers the question, and tells what was found instead, for an error.
func (c *condition) holds(v conversation) (ok bool, found string) {
	switch c.what {
	case "user":
		ok, found = c.match(v.user), "the user said "+short(v.user)
	case "task":
		ok, found = c.match(v.task), "the first words are "+short(v.task)
	case "seen":
		found = "it is nowhere in the request"
		for _, t := range v.texts {
			ok = ok || c.match(t)
		}
	case "system":
		ok, found = c.match(v.system), "the system prompt is "+short(v.system)
	case "prompt":
		ok, found = len(v.results) == 0, "results came with it"
	case "tool":
		found = "the request offers " + strings.Join(v.tools, ", ")
		for _, t := range v.tools {
			ok = ok || t == c.tool
		}
	default:
		found = "there is no such result"
		for _, r := range v.results {
			if c.tool != "" && r.tool != c.tool {
				continue
			}
			found = "the last such result is " + short(r.text)
			switch c.what {
			case "failed":
				ok = ok || r.failed
			case "refused":
				ok = ok || r.refused
			case "result":
				ok = ok || c.match(r.text)
			}
		}
	}
	return ok != c.not, found
}

// groups is what the expression of a condition that holds has found, the whole first;
// nil where there is no expression.
func (c *condition) groups(v conversation) []string {
	if c == nil || c.re == nil || c.not {
		return nil
	}
	texts := []string{v.user}
	switch c.what {
	case "system":
		texts = []string{v.system}
	case "task":
		texts = []string{v.task}
	case "seen":
		texts = v.texts
	case "result":
		texts = nil
		for _, r := range v.results {
			if c.tool == "" || r.tool == c.tool {
				texts = append(texts, r.text)
			}
		}
	}
	for _, t := range texts {
		if m := c.re.FindStringSubmatch(t); m != nil {
			return m
		}
	}
	return nil
}

// filled puts what an expression found into a step: $1 is its first group. Inside
// arguments it is written as JSON has it.
func (s step) filled(groups []string) step {
	for i := min(9, len(groups)-1); i > 0; i-- {
		value := groups[i]
		if s.kind == "call" {
			if b, err := json.Marshal(value); err == nil {
				value = string(b[1 : len(b)-1])
			}
		}
		s.words = strings.ReplaceAll(s.words, "$"+strconv.Itoa(i), value)
	}
	return s
}

// short quotes text for an error of one line.
func short(s string) string {
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return `"` + strings.Join(strings.Fields(s), " ") + `"`
}
