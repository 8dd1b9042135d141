package demo

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"forge/lazy"
	"forge/provider"
)

// lineMax bounds one line of a script, in bytes.
const lineMax = 1 << 20

// directive is one directive with its continuation lines.
type directive struct {
	line       int
	name, rest string // rest: the words of the line, then the block below it
	block      bool   // there was a block
}

// Parse reads a script. Its error names the line.
func Parse(r io.Reader) (*Script, error) {
	ds, err := directives(r)
	if err != nil {
		return nil, err
	}
	s := &Script{}
	var open *turn
	aside, agent := false, ""
	for _, d := range ds {
		if open == nil {
			switch d.name {
			case "title":
				s.Title = d.rest
				continue
			case "closing":
				s.Closing = d.rest
				continue
			case "pace":
				s.Pace, err = strconv.ParseFloat(d.rest, 64)
				if err != nil || s.Pace <= 0 {
					return nil, d.bad("pace %q: want words a second", d.rest)
				}
				continue
			case "agent":
				if strings.ContainsAny(d.rest, " \n") {
					return nil, d.bad("agent %q: want the name of a sub-agent, or nothing for the person's own", d.rest)
				}
				agent = d.rest
				continue
			case "loop":
				if d.rest != "" {
					return nil, d.bad("loop takes no words: its steps follow, up to end")
				}
				open, aside = &turn{line: d.line, loop: true}, false
				continue
			case "aside":
				if d.rest != "" {
					return nil, d.bad("aside takes no words: its steps follow, up to end")
				}
				open, aside = &turn{line: d.line}, true
				continue
			case "end":
				return nil, d.bad("end without a turn")
			}
			open, aside = &turn{line: d.line}, false
		}
		if d.name == "end" {
			if err := open.finish(d); err != nil {
				return nil, err
			}
			switch {
			case aside:
				s.aside = open
			case agent != "":
				if s.agents == nil {
					s.agents = map[string][]turn{}
				}
				s.agents[agent] = append(s.agents[agent], *open)
			default:
				s.turns = append(s.turns, *open)
			}
			open = nil
			continue
		}
		if err := open.take(d); err != nil {
			return nil, err
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the turn that begins here has no end", open.line)
	}
	if len(s.turns) == 0 {
		return nil, errNoScript
	}
	return s, nil
}

func (d directive) bad(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", d.line, fmt.Sprintf(format, args...))
}

// directives splits a script into directives: the unindented lines, each with the
// indented ones below.
func directives(r io.Reader) ([]directive, error) {
	var out []directive
	var block []string
	flush := func() {
		if len(out) == 0 {
			return
		}
		for len(block) > 0 && block[len(block)-1] == "" {
			block = block[:len(block)-1]
		}
		if len(block) == 0 {
			return
		}
		d := &out[len(out)-1]
		text := strings.Join(dedent(block), "\n")
		if d.rest != "" {
			text = d.rest + "\n" + text
		}
		d.rest, d.block = text, true
		block = nil
	}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), lineMax)
	n := 0
	for in.Scan() {
		n++
		line := strings.TrimRight(in.Text(), " \t\r")
		switch {
		case line == "":
			block = append(block, "")
		case line[0] == ' ' || line[0] == '\t':
			if len(out) == 0 {
				return nil, fmt.Errorf("line %d: an indented line with no directive above it", n)
			}
			block = append(block, line)
		case line[0] == '#':
			flush()
			block = nil
		default:
			flush()
			block = nil
			name, rest, _ := strings.Cut(line, " ")
			out = append(out, directive{line: n, name: name, rest: strings.TrimSpace(rest)})
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	flush()
	return out, nil
}

// dedent takes the common indentation off.
func dedent(lines []string) []string {
	common := ""
	for i, l := range lines {
		if l == "" {
			continue
		}
		lead := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if common == "" && (i == 0 || lines[i-1] == "") {
			common = lead
		}
		for !strings.HasPrefix(lead, common) {
			common = common[:len(common)-1]
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimPrefix(l, common)
	}
	return out
}

func (t *turn) take(d directive) error {
	switch d.name {
	case "when", "otherwise":
		b := branch{}
		if d.name == "when" {
			c, err := parseCondition(d)
			if err != nil {
				return err
			}
			b.when = c
		} else if d.rest != "" {
			return d.bad("otherwise takes no words: its steps follow on lines of their own")
		}
		if n := len(t.branches); n > 0 && t.branches[n-1].when == nil {
			return d.bad("%s after otherwise is never played", d.name)
		}
		t.branches = append(t.branches, b)
		return nil
	}
	st, err := parseStep(d)
	if err != nil {
		return err
	}
	if n := len(t.branches); n > 0 {
		t.branches[n-1].steps = append(t.branches[n-1].steps, st)
	} else {
		t.steps = append(t.steps, st)
	}
	return nil
}

func (t *turn) finish(d directive) error {
	switch r := provider.StopReason(d.rest); r {
	case provider.StopNone, provider.StopEnd, provider.StopToolUse, provider.StopMaxTokens, provider.StopRefusal, provider.StopPause:
		t.stop = r
		return nil
	}
	return d.bad("end %q: want nothing, or end_turn, tool_use, max_tokens, refusal or pause", d.rest)
}

func parseStep(d directive) (step, error) {
	st := step{line: d.line, kind: d.name, words: d.rest}
	var err error
	switch d.name {
	case "think", "text":
		if d.rest == "" {
			return st, d.bad("%s says nothing", d.name)
		}
	case "call", "rawcall":
		st.kind = "call"
		i := strings.IndexAny(d.rest, " \n")
		if i < 0 {
			i = len(d.rest)
		}
		st.name, st.words = d.rest[:i], strings.TrimSpace(d.rest[i:])
		switch {
		case st.name == "" || strings.HasPrefix(st.name, "{"):
			return st, d.bad("%s names no tool", d.name)
		case d.name == "rawcall":
		case st.words == "":
			st.words = "{}"
		default:
			var args map[string]any
			if err := json.Unmarshal([]byte(st.words), &args); err != nil {
				return st, d.bad("the arguments of %s are no JSON object: %v", st.name, err)
			}
		}
	case "pause":
		if st.always = d.rest == "forever"; st.always {
			break
		}
		if st.pause, err = time.ParseDuration(d.rest); err != nil || st.pause < 0 {
			return st, d.bad("pause %q: want a duration like 300ms, or forever", d.rest)
		}
	case "cut":
		if d.rest != "" {
			return st, d.bad("cut takes no words")
		}
		st.kind, st.cut, st.times = "error", true, 1
		st.err = provider.Error{Kind: provider.KindNetwork, Code: "reset", Message: "the connection broke"}
	case "error":
		return parseError(d)
	case "usage":
		st.usage = map[string]int{}
		for f := range strings.FieldsSeq(d.rest) {
			k, v, _ := strings.Cut(f, "=")
			n, err := strconv.Atoi(v)
			switch k {
			case "input", "output", "cache_read", "cache_write", "reasoning":
			default:
				return st, d.bad("usage %q: want input=, output=, cache_read=, cache_write= or reasoning=", f)
			}
			if err != nil || n < 0 {
				return st, d.bad("usage %q: want a number of tokens", f)
			}
			st.usage[k] = n
		}
	case "expect":
		st.expect, err = parseCondition(d)
		return st, err
	default:
		return st, d.bad("unknown directive %q: want think, text, call, rawcall, pause, error, cut, usage, expect, when, otherwise or end", d.name)
	}
	return st, nil
}

// statuses is what a failure of each kind looks like on a wire.
var statuses = lazy.Value[map[provider.Kind]int]{Of: func() map[provider.Kind]int {
	return map[provider.Kind]int{
		provider.KindAuth: 401, provider.KindRate: 429, provider.KindQuota: 402, provider.KindOverflow: 400,
		provider.KindInvalid: 400, provider.KindServer: 500, provider.KindRefused: 400, provider.KindNetwork: 0,
	}
}}

func parseError(d directive) (step, error) {
	st := step{line: d.line, kind: "error", times: 1}
	kind, rest, _ := strings.Cut(d.rest, " ")
	st.err.Kind = provider.Kind(kind)
	status, ok := statuses.Get()[st.err.Kind]
	if !ok {
		return st, d.bad("error %q: want auth, rate, quota, overflow, invalid, server, network or refused", kind)
	}
	st.err.Status = status
	for {
		word, after, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
		n, numErr := strconv.Atoi(word)
		switch {
		case numErr == nil && n >= 400 && n < 600:
			st.err.Status = n
		case word == "always" || word == "times=always":
			st.always = true
		case strings.HasPrefix(word, "times="):
			n, err := strconv.Atoi(word[len("times="):])
			if err != nil || n < 1 {
				return st, d.bad("%s: want a count or always", word)
			}
			st.times = n
		case strings.HasPrefix(word, "after="):
			w, err := time.ParseDuration(word[len("after="):])
			if err != nil || w < 0 {
				return st, d.bad("%s: want a duration like 2s", word)
			}
			st.err.After = w
		default:
			st.err.Message = strings.TrimSpace(rest)
			if st.err.Message == "" {
				return st, d.bad("error %s says nothing", kind)
			}
			st.cut = st.err.Kind == provider.KindNetwork
			return st, nil
		}
		rest = after
	}
}

var conditionHead = lazy.Regexp{Expr: `^(user|result|failed|refused|prompt|tool|system|task|seen)(?:\[([^\]]+)\])?(?:\s+|$)`}

func parseCondition(d directive) (*condition, error) {
	c := &condition{}
	rest := d.rest
	if after, ok := strings.CutPrefix(rest, "not "); ok {
		c.not, rest = true, strings.TrimSpace(after)
	}
	m := conditionHead.Get().FindStringSubmatch(rest)
	if m == nil {
		return nil, d.bad("%s %q: want user, result, result[TOOL], failed, refused, prompt, tool, system, task or seen", d.name, rest)
	}
	c.what, c.tool, c.text = m[1], m[2], rest[len(m[0]):]
	wantsText := c.what == "user" || c.what == "result" || c.what == "tool" || c.what == "system" || c.what == "task" || c.what == "seen"
	switch {
	case c.tool != "" && (c.what == "user" || c.what == "prompt" || c.what == "tool" || c.what == "system" || c.what == "task" || c.what == "seen"):
		return nil, d.bad("%s takes no [TOOL]", c.what)
	case wantsText && c.text == "":
		return nil, d.bad("%s %s says nothing to look for", d.name, c.what)
	case !wantsText && c.text != "":
		return nil, d.bad("%s %s takes no words", d.name, c.what)
	}
	if c.what == "tool" {
		c.tool, c.text = c.text, ""
	}
	if n := len(c.text); n > 2 && c.text[0] == '/' && c.text[n-1] == '/' {
		re, err := regexp.Compile(c.text[1 : n-1])
		if err != nil {
			return nil, d.bad("%v", err)
		}
		c.re = re
	}
	return c, nil
}
